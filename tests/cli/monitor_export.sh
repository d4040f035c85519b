#!/bin/sh
# The exporter from the command line, and promtool's opinion where there is one.
# shellcheck disable=SC2317
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
PROFILES=$ROOT/tests/fake-nvml/profiles

# serve ARGUMENTS: starts an exporter on a free port, puts its address into $url.
serve() {
	"$WHICHGPU" monitor --export :0 --interval 100ms "$@" >serve.out 2>serve.err &
	server=$!
	url=
	tries=0
	while [ -z "$url" ] && [ $tries -lt 100 ]; do
		sleep 0.1
		tries=$((tries + 1))
		url=$(sed -n 's/^metrics at //p' serve.err)
	done
	sleep 0.5
}

stop() {
	kill -TERM "$server"
	wait "$server"
}

# get CURL-OPTIONS: the page into "page", its status into "code".
get() {
	curl -s -m 10 -o page -w '%{http_code}' "$@" "$url" >code
}

export FAKE_NVML_PROFILE="$PROFILES/h100-8.profile"
if ! command -v curl >/dev/null; then
	skip "scrapes" "no curl"
	finish
fi
serve --demo 2
check "an address is printed" [ -n "$url" ]
check "on this machine only" [ "${url#http://127.0.0.1:}" != "$url" ]
get
check "our own names" grep -q '^whichgpu_gpu_power_watts{vendor="other",gpu="0"' page
get -H 'Accept: application/openmetrics-text; version=1.0.0'
check "OpenMetrics when asked" [ "$(tail -n 1 page)" = "# EOF" ]
get -X POST
check "no other methods" [ "$(cat code)" = 405 ]
stop
status=$?
check "a signal ends it in order" [ "$status" -eq 0 ]
check "and it counts its scrapes" grep -q 'scrapes *2' serve.out

for names in own dcgm nvidia_smi; do
	serve --names $names --nvml "$FAKE_NVML" --root "$WORK/none"
	get
	check "$names has the H100s" grep -Eq '(H100|h1000000)' page
	if command -v promtool >/dev/null; then
		# Names and HELP that the drop-ins must keep are outside its taste.
		if [ $names = own ]; then
			check "promtool finds nothing in $names" promtool check metrics <page
		else
			promtool check metrics <page >lint 2>&1
			check "promtool can read $names" [ "$(grep -c 'error while linting' lint)" -eq 0 ]
		fi
	fi
	stop
done

refused "a name is no address" "no address" monitor --demo 1 --export localhost:9400
refused "other names" "names" monitor --demo 1 --export :0 --names other
refused "once and export" "exclude" monitor --once --export :0
finish
