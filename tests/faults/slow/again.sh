# What depends on timing, many times over.
for round in {1..10}; do
  echo "round $round:"
  for script in killed collector disk_full threads handlers processes; do . "$here/$script.sh"; done
done
level=2
build handlers
record h -- ./handlers timer 20000
same "20 seconds of timer: status" 0 "$status"
counts h handlers
sound h
