# What the program says about itself, and how it refuses wrong use.
code vestige --help
code vestige
code vestige --version | sed 's/[0-9.]*[0-9]$/VERSION/'
code vestige wlak t.vst
code vestige frobnicate
code vestige --jsno
commands=$(vestige --help=commands | cut -f1 | grep -v '^c[c+]') # cc and c++ are clang
for command in $commands; do
  vestige $command --help > help.txt || echo "$command --help failed"
  grep -A1 '^Example:' help.txt | tail -n 1
done
code vestige help walk | head -n 2
code vestige info --jsno t.vst
code vestige walk t.vst --level blok
code vestige walk t.vst --levle block
code vestige info t.vst extra
code vestige info
code vestige info t.vst -- x
code vestige record --order --what control -- true
code vestige walk t.vst --count x
code vestige walk t.vst --all --count 3
code vestige functions t.vst --json --csv
code vestige match t.vst --function main --reegx B1
# Manual pages and completions know the flags that --help shows.
for command in $commands; do
  diff <(vestige $command --help | grep -oE '^ +(-[a-z],)?--[a-z0-9-]+' | grep -oE -- '--.*' | sort) \
       <(vestige $command --help=flags | cut -f1 | grep -oE -- '--.*' | sort) || echo "flags of $command"
done
vestige match --help=man | grep -c '^.B .*BLOCKS$'
vestige record --help=man | grep -c '128 + the signal'
