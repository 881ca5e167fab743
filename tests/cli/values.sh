# Values and addresses of a full recording.
vestige-cc -O0 $SOURCES/strides.c -o strides
vestige record -q --what full -- ./strides
T=strides.vst
hide() { sed -E "s/0x[0-9a-f]+/ADDRESS/g;s/(\"start\":|\"address\":)[0-9]+/\1ADDRESS/g"; }
# at LINE OP: the first such statement of the line.
at() {
  vestige statements $T strides.c:$1 --json | grep -m 1 "\"op\":\"$2\"" | sed -E 's/^\{"id":([0-9]+),.*/#\1/'
}
store=#$(vestige statements $T strides.c:13:47 --json | grep '"op":"store"' | sed -E 's/^\{"id":([0-9]+),.*/\1/')
code vestige values $T $store --count 4
code vestige values $T $store --from 58
code vestige values $T $store | tail -n 3
code vestige values $T $store --json --from 9 --count 3
code vestige values $T $store --csv --count 2
code vestige values $T $store --top 3
code vestige values $T $store --top 2 --json
echo "values of a sum, of halves, of recursive calls, of comparisons"
vestige values $T $(at 16:39 add) --json --from 178
vestige values $T $(at 17 fdiv) --csv
code vestige values $T $(at 8 call)
vestige values $T $(at 8 icmp) --json | tail -n 2
echo "many statements at once"
vestige values $T loads --json | wc -l
vestige values $T all --json --count 1 | sed -E "s/:[0-9]{9,}/:N/"
vestige values $T all --csv | wc -l
vestige values $T loads --thread 0 --from 180 --json | head -n 2
echo "addresses"
vestige addresses $T $store --count 2 --json | hide
vestige addresses $T strides.c:16:42 --runs | hide
vestige addresses $T strides.c:16:42 --runs --json | hide
vestige addresses $T $store --runs --csv | sed -E 's/,[0-9]{9,},/,ADDRESS,/'
vestige addresses $T strides.c:18 --json | sed -E 's/:[0-9]{9,}/:N/g'
echo "walk"
vestige walk $T --level statement --json > forwards
vestige walk $T --level statement --json --back | tac | cmp - forwards && echo "backwards is the reverse"
vestige values $T all --json | wc -l | cmp - <(grep -c '"value":' forwards) && echo "as many values as in the history"
vestige addresses $T all --json | wc -l | cmp - <(grep -c '"address":' forwards) && echo "as many addresses"
vestige walk $T --level statement --json --from 40 --count 8 | cmp - <(grep -A 7 -m 1 '"time":40,' forwards) && echo "the same from the middle"
echo "replay"
vestige replay $T | cut -c 1-3 | sort | uniq -c
vestige replay $T --format din | cut -c 1-2 | sort | uniq -c
vestige replay $T --format refs | wc -c
vestige replay $T | grep -c ',18$'
echo "what is refused"
code vestige values $T strides.c:16
code vestige values $T strides.c:9
code vestige values $T nowhere
code vestige values $T '#999999'
code vestige addresses $T $(at 16 icmp)
code vestige values $T strides.c:16:25 --count 1
code vestige values $T $(at 16 br)
code vestige values $T $store --thread 7
code vestige values $T $store --from 0
code vestige values $T $store --top 3 --count 2
code vestige replay $T --format text
vestige record -q --what control -o control.vst -- ./strides
code vestige values control.vst loads
code vestige addresses control.vst all --runs
code vestige replay control.vst
