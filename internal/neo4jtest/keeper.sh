# Ends the Neo4j of the tests once nobody uses it. Arguments: the folder of its users, and its PID.
# A process that has ended and was not waited for counts as ended.
alive() {
	kill -0 "$1" 2>/dev/null && case "$(cat "/proc/$1/stat" 2>/dev/null)" in *') Z '*) false ;; esac
}
while sleep 1; do
	alive "$2" || exit 0
	for user in "$1"/*; do
		name=${user##*/}
		[ "$name" = keep ] || alive "$name" || rm -f "$user"
	done
	# rmdir refuses while somebody is registered, and once it is done nobody can register any more.
	if rmdir "$1" 2>/dev/null; then
		kill "$2"
		exit 0
	fi
	[ -d "$1" ] || exit 0
done
