// SPDX-License-Identifier: MIT OR Apache-2.0
//! Findings are stored once and found again; damage is reported.

use std::fs;
use std::path::PathBuf;

use super::database::{beside, damage_marker};
use super::*;
use crate::error::ErrorKind;
use crate::tests::TestFolder;

fn violation(number: u64, property: &str, case: Option<&str>) -> ViolationRow {
    ViolationRow {
        number,
        sequence: 10 * number,
        property: property.to_owned(),
        severity: number.is_multiple_of(2).then(|| "critical".to_owned()),
        case: case.map(str::to_owned),
        group: format!("{property}: G a"),
        time: format!("{number}.5"),
        sort_time: number as i64 * 1_000,
        noted_at: 100 + number as i64,
        json: format!("{{\"number\":{number}}}"),
    }
}

fn statistics(property: &str, at: i64) -> StatisticsRow {
    StatisticsRow {
        property: property.to_owned(),
        at,
        activated: 4,
        satisfied: 2,
        violated: 1,
        pending: 1,
        min: Some("0.1".to_owned()),
        max: None,
        mean: Some("1/3".to_owned()),
    }
}

fn open(folder: &TestFolder) -> (History, HistoryState) {
    History::open(&file(folder)).unwrap()
}

fn file(folder: &TestFolder) -> PathBuf {
    folder.path().join("history.sqlite")
}

impl History {
    fn record(
        &mut self,
        violations: &[ViolationRow],
        statistics: &[StatisticsRow],
        through: u64,
    ) -> Result<(), StoreError> {
        self.write(&HistoryUpdate { violations, statistics, deliveries: &[], through })
    }
}

/// Creates a history with ten violations of two properties.
fn filled(folder: &TestFolder) -> History {
    let (mut history, state) = open(folder);
    assert_eq!(state, HistoryState::default());
    let rows: Vec<ViolationRow> = (1..=10)
        .map(|number| violation(number, if number > 7 { "late" } else { "lost" }, (number < 3).then_some("c1")))
        .collect();
    history.record(&rows, &[statistics("lost", 5)], 100).unwrap();
    history
}

fn numbers(reader: &HistoryReader, query: &ViolationQuery) -> Vec<u64> {
    reader.violations(query).unwrap().iter().map(|row| row.number).collect()
}

fn all() -> ViolationQuery {
    ViolationQuery { limit: 100, ..ViolationQuery::default() }
}

fn text<T: From<String>>(text: &str) -> T {
    text.to_owned().into()
}

fn webhook(url: &str) -> NewWebhook {
    NewWebhook { url: url.to_owned(), secret: text("hush"), enabled: true, ..NewWebhook::default() }
}

#[test]
fn violations_are_found_by_what_is_asked_for() {
    let folder = TestFolder::new();
    let history = filled(&folder);
    let reader = history.reader();
    assert_eq!(numbers(&reader, &all()), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(numbers(&reader, &ViolationQuery { property: text("late"), ..all() }), [10, 9, 8]);
    assert_eq!(numbers(&reader, &ViolationQuery { case: text("c1"), ..all() }), [2, 1]);
    assert_eq!(numbers(&reader, &ViolationQuery { group: text("late: G a"), limit: 2, ..all() }), [10, 9]);
    let critical = ViolationQuery { severity: text("critical"), before_number: Some(8), ..all() };
    assert_eq!(numbers(&reader, &critical), [6, 4, 2]);
    assert_eq!(numbers(&reader, &ViolationQuery { from_noted: Some(103), to_noted: Some(105), ..all() }), [4, 3]);
    assert_eq!(numbers(&reader, &ViolationQuery { limit: 0, ..all() }), [0; 0]);
    assert_eq!(numbers(&reader, &ViolationQuery { property: text("'; DROP TABLE violations"), ..all() }), [0; 0]);
    assert_eq!(reader.violation(2).unwrap(), Some(violation(2, "lost", Some("c1"))));
    assert_eq!(reader.violation(u64::MAX).unwrap(), None);
    assert_eq!(history.through().unwrap(), 100);
}

#[test]
fn repeated_updates_count_once() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let hook = history.settings().unwrap().add_webhook(&webhook("http://a")).unwrap();
    let rows = [violation(10, "late", None), violation(11, "late", None)];
    let deliveries: Vec<NewDelivery> =
        [10, 11].map(|violation| NewDelivery { webhook: hook, violation, at: 0 }).to_vec();
    let update =
        HistoryUpdate { violations: &rows, statistics: &[statistics("lost", 5)], deliveries: &deliveries, through: 90 };
    history.write(&update).unwrap();
    history.write(&update).unwrap();
    assert_eq!(history.through().unwrap(), 100, "it never goes back");
    let reader = history.reader();
    let groups: Vec<(String, u64, u64)> =
        reader.groups(10, 0).unwrap().into_iter().map(|row| (row.group, row.count, row.last_number)).collect();
    assert_eq!(groups, [("late: G a".to_owned(), 4, 11), ("lost: G a".to_owned(), 7, 7)]);
    assert_eq!(reader.statistics("lost", 0, 10, 10).unwrap(), [statistics("lost", 5)]);
    let delivered: Vec<u64> = reader.deliveries(hook, 10).unwrap().iter().map(|delivery| delivery.violation).collect();
    assert_eq!(delivered, [11], "10 was there before anyone asked for its delivery");
}

#[test]
fn groups_sum_up_and_know_whether_they_are_muted() {
    let folder = TestFolder::new();
    let history = filled(&folder);
    let (reader, settings) = (history.reader(), history.settings().unwrap());
    let lost = &reader.groups(2, 0).unwrap()[1];
    let expected = (None, 7, 101, 107, 7, false);
    let found = (lost.severity.clone(), lost.count, lost.first_noted, lost.last_noted, lost.last_number, lost.muted);
    assert_eq!(found, expected);
    let muted = |now| reader.groups(2, now).unwrap().iter().map(|row| row.muted).collect::<Vec<_>>();
    let mute = NewMute { property: text("late"), until: Some(50), reason: "known".to_owned(), ..NewMute::default() };
    let id = settings.add_mute(&mute).unwrap();
    assert_eq!((muted(49), muted(50)), (vec![true, false], vec![false, false]));
    assert!(mute.covers("late", "late: G a", 49) && !mute.covers("late", "x", 50) && !mute.covers("lost", "x", 0));
    let group = settings.add_mute(&NewMute { group: text("lost: G a"), ..NewMute::default() }).unwrap();
    assert_eq!(muted(50), [false, true]);
    settings.add_mute(&NewMute::default()).unwrap();
    assert_eq!(muted(50), [true, true], "a mute of nothing in particular is one of all");
    settings.remove_mute(id).unwrap();
    settings.remove_mute(group).unwrap();
    assert_eq!(reader.mutes().unwrap().len(), 1);
    assert!(settings.remove_mute(id).unwrap_err().is(ErrorKind::Unknown));
}

#[test]
fn statistics_are_thinned_evenly_and_keep_their_ends() {
    let folder = TestFolder::new();
    let (mut history, _) = open(&folder);
    let rows: Vec<StatisticsRow> = (0..100).map(|at| statistics("p", at)).collect();
    history.record(&[], &rows, 1).unwrap();
    let reader = history.reader();
    let times = |from, to, limit| {
        let rows = reader.statistics("p", from, to, limit).unwrap();
        rows.iter().map(|row| row.at).collect::<Vec<i64>>()
    };
    assert_eq!(times(10, 13, 10), [10, 11, 12]);
    assert_eq!(times(0, 100, 4), [0, 33, 66, 99]);
    assert_eq!((times(0, 100, 2), times(0, 100, 1), times(0, 100, 0)), (vec![0, 99], vec![99], vec![]));
    for limit in 2..=100 {
        let thinned = times(0, 100, limit);
        assert_eq!((thinned.len(), thinned[0], thinned[limit - 1]), (limit, 0, 99));
        let widest = thinned.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        assert!(widest <= 99 / (limit as i64 - 1) + 1, "limit {limit}: {thinned:?}");
    }
    assert_eq!(reader.statistics("q", 0, 100, 10).unwrap(), []);
}

#[test]
fn webhooks_are_kept_and_changed_and_their_secrets_not_printed() {
    let folder = TestFolder::new();
    let settings = filled(&folder).settings().unwrap();
    let first = settings.add_webhook(&webhook("http://a")).unwrap();
    let second = settings.add_webhook(&webhook("http://b")).unwrap();
    let changed = Webhook { id: second, webhook: NewWebhook { severity: text("high"), ..webhook("http://c") } };
    settings.change_webhook(&changed).unwrap();
    settings.remove_webhook(first).unwrap();
    // A new connection finds the same.
    let (history, _) = open(&folder);
    let found = history.reader().webhooks().unwrap();
    assert_eq!(found.first(), Some(&changed));
    assert_eq!(found.len(), 1);
    assert!(!format!("{found:?}").contains("hush"));
    assert!(settings.change_webhook(&Webhook { id: first, ..changed }).unwrap_err().is(ErrorKind::Unknown));
    assert!(settings.remove_webhook(first).unwrap_err().is(ErrorKind::Unknown));
    let third = settings.add_webhook(&webhook("http://d")).unwrap();
    assert!(third > second, "an id is never used twice");
}

/// Writes a violation with its delivery.
fn enqueue(history: &mut History, webhook: i64, number: u64) {
    let (rows, deliveries) = ([violation(number, "late", None)], [NewDelivery { webhook, violation: number, at: 0 }]);
    let update =
        HistoryUpdate { violations: &rows, deliveries: &deliveries, through: 10 * number, ..HistoryUpdate::default() };
    history.write(&update).unwrap();
}

#[test]
fn deliveries_go_with_their_violations() {
    let folder = TestFolder::new();
    let (mut history, _) = open(&folder);
    let hook = history.settings().unwrap().add_webhook(&webhook("http://a")).unwrap();
    for number in [3, 9] {
        enqueue(&mut history, hook, number);
    }
    history.retain(&HistoryRetention { rows: Some(1), age: None }, 0).unwrap();
    let left = history.reader().deliveries(hook, 10).unwrap();
    assert_eq!(left.iter().map(|delivery| delivery.violation).collect::<Vec<_>>(), [9]);
}

#[test]
fn deliveries_are_made_at_least_once() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let settings = history.settings().unwrap();
    let hook = settings.add_webhook(&webhook("http://a")).unwrap();
    let rows: Vec<ViolationRow> = (11..=13).map(|number| violation(number, "late", None)).collect();
    let deliveries: Vec<NewDelivery> =
        (11..=13).map(|violation| NewDelivery { webhook: hook, violation, at: violation as i64 }).collect();
    history
        .write(&HistoryUpdate { violations: &rows, deliveries: &deliveries, through: 130, ..HistoryUpdate::default() })
        .unwrap();

    let take = |now| {
        let leased = settings.take_due(now, 100, 10).unwrap();
        leased.iter().map(|delivery| (delivery.violation, delivery.attempts)).collect::<Vec<_>>()
    };
    assert_eq!(take(10), []);
    assert_eq!(take(12), [(11, 1), (12, 1)]);
    assert_eq!(take(12), [], "taken is taken");
    settings.settle(hook, 11, &DeliveryOutcome::Delivered).unwrap();
    settings.settle(hook, 12, &DeliveryOutcome::Retry { at: 40, error: "refused".to_owned() }).unwrap();
    assert_eq!(take(39), [(13, 1)]);
    assert_eq!(take(40), [(12, 2)]);
    settings.settle(hook, 12, &DeliveryOutcome::Abandoned { error: "gone".to_owned() }).unwrap();
    // The worker that leased 13 is gone.
    assert_eq!(take(139), [(13, 2)]);
    assert_eq!(take(1_000), [(13, 3)]);

    let states: Vec<(u64, DeliveryState, Option<String>)> = history
        .reader()
        .deliveries(hook, 10)
        .unwrap()
        .into_iter()
        .map(|delivery| (delivery.violation, delivery.state, delivery.error))
        .collect();
    let expected = [
        (13, DeliveryState::Waiting, None),
        (12, DeliveryState::Abandoned, text("gone")),
        (11, DeliveryState::Delivered, None),
    ];
    assert_eq!(states, expected);

    // A disabled webhook keeps its queue; a removed one does not.
    let off = NewWebhook { enabled: false, ..webhook("http://a") };
    settings.change_webhook(&Webhook { id: hook, webhook: off }).unwrap();
    assert_eq!(take(5_000), []);
    enqueue(&mut history, hook, 14);
    settings.change_webhook(&Webhook { id: hook, webhook: webhook("http://a") }).unwrap();
    assert_eq!(take(5_000), [(13, 4)], "what came while it was switched off is not for it");
    enqueue(&mut history, hook, 15);
    enqueue(&mut history, hook, 15);
    assert_eq!(take(5_000), [(15, 1)], "once");
    settings.remove_webhook(hook).unwrap();
    enqueue(&mut history, hook, 16);
    assert_eq!(take(9_000), [], "there is nobody to notify");
}

#[test]
fn what_is_too_much_or_too_old_is_forgotten_for_good() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let reader = history.reader();
    assert_eq!(history.retain(&HistoryRetention::default(), 1_000).unwrap(), RemovedRows::default());
    let kept = HistoryRetention { rows: Some(6), age: None };
    assert_eq!(history.retain(&kept, 0).unwrap(), RemovedRows { violations: 4, statistics: 0 });
    assert_eq!(numbers(&reader, &all()), [10, 9, 8, 7, 6, 5]);
    let old = HistoryRetention { rows: None, age: Some(10) };
    assert_eq!(history.retain(&old, 118).unwrap(), RemovedRows { violations: 3, statistics: 1 });
    assert_eq!(numbers(&reader, &all()), [10, 9, 8]);
    assert_eq!(reader.groups(10, 0).unwrap().len(), 1, "nothing is left of `lost`");

    let rows: Vec<ViolationRow> = (1..=11).map(|number| violation(number, "late", None)).collect();
    history.record(&rows, &[], 100).unwrap();
    assert_eq!(numbers(&reader, &all()), [11, 10, 9, 8], "reported again, but forgotten");
    assert_eq!(reader.groups(10, 0).unwrap()[0].count, 4);
    history.retain(&HistoryRetention { rows: Some(0), age: None }, 0).unwrap();
    assert_eq!(numbers(&reader, &all()), [0; 0]);
    assert_eq!(history.through().unwrap(), 100);
}

#[test]
fn forgetting_gives_the_room_back() {
    let folder = TestFolder::new();
    let (mut history, _) = open(&folder);
    let rows: Vec<ViolationRow> =
        (1..=5_000).map(|number| ViolationRow { json: "x".repeat(500), ..violation(number, "late", None) }).collect();
    history.record(&rows, &(0..3_000).map(|at| statistics("p", at)).collect::<Vec<_>>(), 1).unwrap();
    let pages =
        |history: &History| history.connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0)).unwrap();
    let before = pages(&history);
    let forgotten = history.retain(&HistoryRetention { rows: Some(10), age: None }, 0).unwrap();
    assert_eq!(forgotten, RemovedRows { violations: 4_990, statistics: 2_990 });
    assert!(pages(&history) < before / 10);
}

#[test]
fn a_full_disk_leaves_all_as_it_was_and_the_same_is_tried_again() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let pages: i64 = history.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let limit = |history: &History, pages: i64| {
        history.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
    };
    limit(&history, pages);
    let rows: Vec<ViolationRow> =
        (11..=200).map(|number| ViolationRow { json: "x".repeat(1_000), ..violation(number, "late", None) }).collect();
    let error = history.record(&rows, &[], 2_000).unwrap_err();
    assert!(error.is(ErrorKind::Full) && error.remedy().is_some(), "{error}");
    assert_eq!((history.through().unwrap(), numbers(&history.reader(), &all()).len()), (100, 10));
    limit(&history, 1_000_000);
    history.record(&rows, &[], 2_000).unwrap();
    assert_eq!((history.through().unwrap(), history.reader().groups(1, 0).unwrap()[0].count), (2_000, 193));
}

#[test]
fn opening_it_again_writes_nothing_so_that_a_full_disk_does_not_matter() {
    let folder = TestFolder::new();
    drop(filled(&folder));
    let (history, _) = open(&folder);
    let log = fs::metadata(beside(&file(&folder), "-wal")).map_or(0, |file| file.len());
    assert_eq!((log, history.through().unwrap()), (0, 100));
}

#[test]
fn a_file_that_is_no_database_is_renamed() {
    let folder = TestFolder::new();
    for number in 1..=2 {
        fs::write(file(&folder), b"this is not a database, whatever it says on the tin".repeat(100)).unwrap();
        let (history, state) = open(&folder);
        assert!(state.rebuilt);
        let renamed = beside(&file(&folder), &format!(".damaged-{number}"));
        assert!(renamed.exists() && state.note.is_some_and(|note| note.contains(&*renamed.to_string_lossy())));
        assert_eq!(history.through().unwrap(), 0);
    }
}

#[test]
fn what_people_decided_is_carried_over_from_a_damaged_file() {
    let folder = TestFolder::new();
    let history = filled(&folder);
    let settings = history.settings().unwrap();
    let hook = settings.add_webhook(&webhook("http://a")).unwrap();
    let mute = settings.add_mute(&NewMute { property: text("late"), ..NewMute::default() }).unwrap();
    let root: i64 = history
        .connection
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'violations'", [], |row| row.get(0))
        .unwrap();
    let size: i64 = history.connection.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap();
    drop((history, settings));
    // The first page of the table of violations.
    let mut bytes = fs::read(file(&folder)).unwrap();
    bytes[((root - 1) * size) as usize..(root * size) as usize].fill(0xFF);
    fs::write(file(&folder), &bytes).unwrap();

    let (history, state) = open(&folder);
    assert!(
        state.rebuilt && state.note.as_ref().is_some_and(|note| note.contains("1 mutes and 1 webhooks")),
        "{state:?}"
    );
    let reader = history.reader();
    assert_eq!((reader.webhooks().unwrap()[0].id, reader.mutes().unwrap()[0].id), (hook, mute));
    assert_eq!(numbers(&reader, &all()), [0; 0]);
}

#[test]
fn damage_that_is_met_while_in_use_is_remembered() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let rows: Vec<ViolationRow> = (11..=2_000).map(|number| violation(number, "late", None)).collect();
    history.record(&rows, &[], 20_000).unwrap();
    drop(history);
    let mut bytes = fs::read(file(&folder)).unwrap();
    let (from, to) = (bytes.len() / 4 * 3, bytes.len());
    bytes[from..to].fill(0xFF);
    fs::write(file(&folder), &bytes).unwrap();

    let (history, state) = open(&folder);
    assert!(!state.rebuilt, "where the tables begin all is well");
    let query = ViolationQuery { limit: 10_000, ..ViolationQuery::default() };
    let error = history.reader().violations(&query).unwrap_err();
    assert!(error.is(ErrorKind::Damaged) && error.remedy().is_some(), "{error}");
    drop(history);
    assert!(open(&folder).1.rebuilt);
    assert!(!open(&folder).1.rebuilt && !damage_marker(&file(&folder)).exists());
}

#[test]
fn files_of_others_and_of_the_future_are_left_alone() {
    let folder = TestFolder::new();
    filled(&folder).connection.pragma_update(None, "user_version", 9).unwrap();
    assert!(History::open(&file(&folder)).unwrap_err().is(ErrorKind::Version));
    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    assert!(History::open(&other).unwrap_err().is(ErrorKind::Version));
    assert!(!beside(&other, ".damaged-1").exists());
}

#[test]
fn questions_do_not_wait_for_the_writer() {
    let folder = TestFolder::new();
    let mut history = filled(&folder);
    let reader = history.reader();
    let transaction = history.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    transaction.execute("DELETE FROM violations", []).unwrap();
    let answers: Vec<usize> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..20).map(|_| scope.spawn(|| numbers(&reader.clone(), &all()).len())).collect();
        asked.into_iter().map(|answer| answer.join().unwrap()).collect()
    });
    assert_eq!(answers, [10; 20]);
    transaction.commit().unwrap();
    assert_eq!(numbers(&reader, &all()).len(), 0);
}
