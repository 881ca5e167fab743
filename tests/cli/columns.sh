# The columns of rows: declared once, and what is written has them and no others.
vestige-cc -g -O0 $SOURCES/strides.c -o strides
vestige record -q --what full -- ./strides > /dev/null
T=strides.vst
vestige --help=columns > columns
awk -F'\t' 'NF != 5 || $5 == "" {print "not described: " $0}' columns
# declared FORM COMMAND: the names, in their order.
declared() { awk -F'\t' -v form=$1 -v command="$2" '$1 == command && index($4, form) {print $2}' columns; }
# check NAME ARGS…: the same names in JSON (where a row may leave some out) and in CSV.
check() {
  local name=$1; shift
  "$@" --json | jq -r keys_unsorted[] | sort -u > keys
  declared json "$name" | sort -u | comm -23 keys - | sed "s/^/$name, not declared: /"
  "$@" --csv | head -n 1 | tr , '\n' > heading
  declared csv "$name" | grep -Fxf - heading | cmp - heading && echo "$name: $(wc -l < keys) keys, $(wc -l < heading) headings"
}
check functions vestige functions $T --counts
check blocks vestige blocks $T main --counts
check statements vestige statements $T main --counts
check walk vestige walk $T --level statement --count 50
check "values, addresses" vestige values $T all --count 50
check "values, addresses" vestige addresses $T all --count 50
check "values, addresses --top" vestige values $T all --top 3
check "variable (without NAME)" vestige variable $T
check "slice --instances" vestige slice $T --at strides.c:13:47 --instances
check hot vestige hot $T
cut -f1 columns | sort -u | wc -l
vestige functions --help=man | grep -A 3 '^.B linkage'
