#!/bin/sh
# The screen in a real terminal: tmux plays one.
# shellcheck disable=SC2317
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
if ! command -v tmux >/dev/null; then
	skip "a real terminal" "no tmux"
	finish
fi
server="whichgpu-test-$$"
t() {
	tmux -L "$server" "$@"
}
# shows TEXT: waits until the screen has it.
shows() {
	tries=0
	while [ "$tries" -lt 100 ]; do
		t capture-pane -p -t main >pane 2>/dev/null
		grep -qF -- "$1" pane && return 0
		tries=$((tries + 1))
		sleep 0.1
	done
	cat pane
	return 1
}
ended() {
	tries=0
	while [ "$tries" -lt 100 ]; do
		[ -e ended ] && return 0
		tries=$((tries + 1))
		sleep 0.1
	done
	return 1
}
start() { # COLUMNS ROWS ARGUMENTS
	columns=$1
	rows=$2
	shift 2
	rm -f ended
	tries=0
	# the server of the session before may still be leaving
	until t -f /dev/null new-session -d -s main -x "$columns" -y "$rows" \
		"unset COLUMNS; LC_ALL=C.UTF-8 $WHICHGPU monitor --interval 100ms $*; echo \$? >$WORK/ended; sleep 60"; do
		tries=$((tries + 1))
		[ "$tries" -lt 10 ] || return 1
		sleep 0.5
	done
}

start 100 30 --demo 2
check "the overview" shows 'Demo data-centre GPU'
t send-keys -t main p
check "processes" shows 'demo-train --gpu 0'
t send-keys -t main /
t send-keys -t main -l serve
check "a filter is typed" shows 'filter: serve_'
t send-keys -t main Escape
sleep 0.3
t send-keys -t main h
check "help" shows 'hold the picture'
t resize-window -t main -x 40 -y 10
check "it gets smaller" shows 'q quit'
t resize-window -t main -x 200 -y 60
t send-keys -t main o
check "and larger" shows 'Demo consumer GPU'
t send-keys -t main q
check "q ends it" ended
check "with success" [ "$(cat ended)" = 0 ]
t kill-server

start 80 24 --demo 1
check "it runs again" shows 'overview'
pid=$(t list-panes -t main -F '#{pane_pid}')
kill -TERM "$(pgrep -P "$pid")"
check "a signal ends it in order" ended
t kill-server
finish
