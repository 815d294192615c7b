# SPDX-License-Identifier: MIT OR Apache-2.0
# Figure 9 as printed -> one JSON object per message. POSIX awk: awk -f normalise.awk figure-9.txt > printed.ndjson

{
    # Columns are parted by tabs, in one line in the wrong places: without tabs all lines are alike.
    line = $0
    gsub(/\t/, "", line)

    marked = ""
    if (match(line, /^(true|false)/)) {
        marked = substr(line, 1, RLENGTH)
        line = substr(line, RLENGTH + 1)
    }

    if (!match(line, /^[0-9]+-[0-9]+-[0-9]+ [0-9]+:[0-9]+:[0-9]+ [0-9]+ *[A-Za-z]+\[/)) {
        print "normalise.awk: line " NR " is no message: " $0 > "/dev/stderr"
        failed = 1
        exit
    }
    data = substr(line, RLENGTH + 1)
    sub(/\]$/, "", data)
    line = substr(line, 1, RLENGTH - 1)

    date = substr(line, 1, 10)
    hour = substr(line, 12, 2)
    minutes = substr(line, 14, 6)
    line = substr(line, 21)
    match(line, /^[0-9]+/)
    milliseconds = substr(line, 1, RLENGTH)
    name = substr(line, RLENGTH + 1)
    sub(/^ +/, "", name)

    # A clock of twelve hours: 12 is the hour before 1. "53 51" is 53 seconds and 51 thousandths.
    time = sprintf("%sT%02d%s.%03d", date, hour % 12 + 12, minutes, milliseconds)
    object = sprintf("{\"time\":\"%s\",\"event\":\"%s\"", time, name)

    # "outer/inner=value" becomes an object in an object.
    if (data != "") {
        split(data, pair, "=")
        split(pair[1], path, "/")
        value = pair[2] == "null" ? "null" : "\"" pair[2] "\""
        object = object sprintf(",\"%s\":{\"%s\":%s}", path[1], path[2], value)
    }
    if (marked != "") object = object ",\"marked\":" marked
    print object "}"
}

END { exit failed }
