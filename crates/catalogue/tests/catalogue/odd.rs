// SPDX-License-Identifier: MIT OR Apache-2.0
//! Documents that are not as documents mostly are: names that need quotes, styles that went out of use, parts that are not
//! there.

use gnomon_catalogue::{Catalogue, read};

use crate::declared;

fn notes(catalogue: &Catalogue) -> Vec<String> {
    catalogue.notes.iter().map(|note| format!("{} {}", note.location, note.text)).collect()
}

const WSDL: &str =
    "xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t'";

#[test]
fn names_that_need_quotes() {
    let text = r#"{"openapi": "3.1.0", "info": {"title": "my \"shop\" \ud83d\ude00"}, "paths": {"/a": {
        "get": {"operationId": "event", "responses": {}},
        "put": {"operationId": "G", "parameters": [{"name": "as", "in": "path"}, {"name": "a b", "in": "path"},
                                                   {"name": "_", "in": "path"}, {"name": "3d", "in": "path"}]},
        "post": {"operationId": "mtl", "summary": "two\nlines # here"},
        "patch": {"operationId": "to", "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "required": ["x y", "z"], "properties": {"x y": {"type": "string"}, "z": {"required": ["@q", "7"], "properties": {
                "@q": {"type": "integer"}, "7": {"type": "boolean"}}}}}}}}},
        "delete": {}, "x-own": {}}}}"#;
    let catalogue = read("shop.json", text).unwrap();
    let service = "\"my \\\"shop\\\" 😀\"";
    assert_eq!(
        declared(&catalogue),
        [
            format!("event \"event\" from client to {service}"),
            format!("event G(\"as\", \"a b\", \"_\", \"3d\") from client to {service}"),
            format!("event \"mtl\" from client to {service}"),
            format!("event to(\"x y\", q, \"7\") = to[z/@q as q, z/7 as \"7\"] from client to {service}"),
            format!("event \"DELETE /a\" from client to {service}"),
        ]
    );
}

#[test]
fn remote_procedure_calls_and_notifications() {
    let text = format!(
        "<definitions {WSDL}><message name='in'><part name='user' type='x:string'/><part name='order' type='t:Order'/></message>
         <message name='out'><part name='ok' type='x:boolean'/></message><message name='none'/>
         <types><x:schema><x:complexType name='Order'><x:all><x:element name='n' type='x:int'/></x:all></x:complexType></x:schema></types>
         <portType name='P'><operation name='buy'><input message='t:in'/><output message='t:out'/></operation>
         <operation name='tell'><output message='out'/></operation>
         <operation name='ask'><output message='none'/><input message='in'/></operation>
         <operation name='lost'><input message='t:nothing'/></operation></portType></definitions>"
    );
    let catalogue = read("p.wsdl", &text).unwrap();
    assert_eq!(
        declared(&catalogue),
        [
            "event buy(user, n) = buy[order/n as n] from client to P",
            "event buyResponse(ok) from P to client",
            "event tell(ok) from P to client",
            "event ask from P to client",
            "event askResponse(user, n) = askResponse[order/n as n] from client to P",
        ]
    );
    assert_eq!(notes(&catalogue), ["7:33 the document has no message `t:nothing`"]);
}

#[test]
fn schemas_of_many_kinds() {
    let text = format!(
        "<definitions {WSDL} xmlns:u='urn:u'><types>
         <x:schema targetNamespace='urn:u'><x:element name='a' type='x:int'/><x:import schemaLocation='more.xsd'/></x:schema>
         <x:schema targetNamespace='urn:t'>
           <x:element name='a'><x:complexType><x:complexContent><x:extension base='t:Base'><x:sequence>
             <x:element ref='t:leaf'/><x:element name='many' type='x:int' maxOccurs='3'/><x:group ref='t:both'/>
             <x:choice><x:element name='left' type='x:int'/><x:element name='right' type='x:int'/></x:choice>
             <x:sequence minOccurs='0'><x:element name='maybe' type='x:int'/></x:sequence><x:any/>
             <x:element name='self' type='t:Tree'/><x:element name='foreign' type='q:Other'/><x:element name='empty'><x:complexType/></x:element>
           </x:sequence><x:attributeGroup ref='t:marks'/></x:extension></x:complexContent></x:complexType></x:element>
           <x:complexType name='Base'><x:sequence><x:element name='id' type='x:long'/></x:sequence></x:complexType>
           <x:complexType name='Tree'><x:sequence><x:element name='value' type='x:int'/><x:element name='next' type='t:Tree' minOccurs='0'/></x:sequence></x:complexType>
           <x:element name='leaf'><x:simpleType><x:restriction base='t:Code'/></x:simpleType></x:element>
           <x:simpleType name='Code'><x:restriction base='x:unsignedInt'/></x:simpleType>
           <x:group name='both'><x:sequence><x:element name='one' type='x:date'/></x:sequence></x:group>
           <x:attributeGroup name='marks'><x:attribute name='k' use='required' type='x:int'/><x:attribute name='gone' use='prohibited'/></x:attributeGroup>
         </x:schema></types>
         <message name='m'><part name='p' element='t:a'/></message><message name='n'><part name='p' element='t:missing'/></message>
         <portType name='P'><operation name='o'><input message='m'/><output message='n'/></operation></portType></definitions>"
    );
    let catalogue = read("p.wsdl", &text).unwrap();
    assert_eq!(
        declared(&catalogue),
        [
            "event a(id, leaf, many, one, value, foreign, empty, k) = a[self/value as value, @k as k] from client to P",
            "event missing from P to client",
        ]
    );
    let optional: Vec<String> =
        catalogue.events[0].fields.iter().filter(|field| !field.required).map(|field| field.path.join("/")).collect();
    assert_eq!(optional[..4], ["left", "right", "maybe", "self/next/value"]);
    assert_eq!(
        notes(&catalogue),
        [
            "2:78 the schema `more.xsd` is another document, which is not read",
            "18:69 the schemas of the document have no element `t:missing`",
        ]
    );
}

#[test]
fn schemas_put_together() {
    let text = "
openapi: 3.0.0
info: {title: S}
paths:
  /a:
    post:
      operationId: a
      requestBody: {$ref: '#/components/requestBodies/A'}
      responses:
        200: {content: {text/xml: {schema: {type: object}}}}
        default: {$ref: 'other.yaml#/x'}
      callbacks: {done: {}}
webhooks:
  told: {post: {requestBody: {required: true, content: {'application/json; charset=utf-8': {schema: {type: array}}}}}}
components:
  requestBodies:
    A:
      required: true
      content:
        application/vnd.a+json:
          schema:
            required: [inner]
            allOf:
              - {$ref: '#/components/schemas/Base'}
              - {properties: {inner: {type: [string, 'null']}, more: {}}}
            oneOf:
              - {required: [l, both], properties: {l: {}, both: {}}}
              - {required: [r, both], properties: {r: {}, both: {}}}
  schemas:
    Base: {required: [id], properties: {id: {type: integer}, base: {$ref: '#/components/schemas/Base'}}}
";
    let catalogue = read("s.yaml", text).unwrap();
    assert_eq!(
        declared(&catalogue),
        [
            "event a(id, inner, both) from client to S",
            "event aResponse from S to client",
            "event told from S to client"
        ]
    );
    assert_eq!(
        notes(&catalogue),
        [
            "10:35 data of the type `text/xml` is skipped: only JSON and forms have fields",
            "11:25 `other.yaml#/x` is in another document, which is not read",
            "12:18 the callbacks of `a` are skipped",
            "14:101 a message that is a list has no fields",
        ]
    );
}

#[test]
fn channels_without_words() {
    let text = "
asyncapi: '2.0.0'
channels:
  a: {publish: {message: {oneOf: [{payload: {}}, {payload: {}}]}}, subscribe: {}}
  b: {publish: {operationId: op, message: {payload: {type: object}, schemaFormat: 'application/vnd.apache.avro;version=1.9.0'}}}
";
    let catalogue = read("c.yaml", text).unwrap();
    assert_eq!(
        declared(&catalogue),
        [
            "event \"a 1\" from a to application",
            "event \"a 2\" from a to application",
            "event op from b to application"
        ]
    );
    assert_eq!(
        notes(&catalogue),
        [
            "4:79 `subscribe` of `a` has no message",
            "5:83 a payload in the format `application/vnd.apache.avro;version=1.9.0` is skipped",
        ]
    );
}

#[test]
fn a_third_version_with_replies() {
    let text = r##"{"asyncapi": "3.0.0", "info": {"title": "App"}, "channels": {"c": {"messages": {"ask": {}, "answer": {}}}},
        "operations": {"o": {"action": "send", "channel": {"$ref": "#/channels/c"}, "messages": [{"$ref": "#/channels/c/messages/ask"}],
        "reply": {"channel": {"$ref": "#/channels/c"}, "messages": [{"$ref": "#/channels/c/messages/answer"}]}},
        "p": {"action": "dance", "channel": {"$ref": "#/channels/d"}}}}"##;
    let catalogue = read("c.json", text).unwrap();
    assert_eq!(declared(&catalogue), ["event ask from App to c", "event answer from c to App"]);
    assert_eq!(
        notes(&catalogue),
        ["4:14 the operation `p` neither sends nor receives", "4:54 there is no `#/channels/d` in the document"]
    );
}
