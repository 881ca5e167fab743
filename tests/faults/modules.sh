# Libraries that come and go, and code before and after main.
for level in 0 2; do
  build plugin -shared
  build plugins -ldl
  record m -- ./plugins ./libplugin.so 1000
  same "plugins: status" 0 "$status"
  same "plugins: messages" "" "$(cat m.err)"
  same "plugins: modules" 2 "$(info m .modules)"
  counts m plugins
  sound m
  events=$(vestige walk m.vst --thread 0 --all --json | jq -r 'select(.kind == "event").text')
  same "plugins: loads" 1000 "$(grep -c 'libplugin.so loaded' <<< "$events")"
  same "plugins: unloads" 1000 "$(grep -c 'libplugin.so unloaded' <<< "$events")"

  # A host that is not recorded.
  clang-19 -O1 "-I$SOURCES" "$SOURCES/plugins.c" -o host -ldl
  record m -- ./host ./libplugin.so 100
  same "plain host: status" 0 "$status"
  same "plain host: calls" "$(tally_of m host plugin_entry)" "$(activations_of m plugin_entry)"
  same "plain host: constructors" 100 "$(activations_of m plugin_begin)"
  same "plain host: destructors" 100 "$(activations_of m plugin_end)"
  sound m

  build life
  record m -- ./life
  same "before and after main: status" 0 "$status"
  counts m life
  sound m
done
