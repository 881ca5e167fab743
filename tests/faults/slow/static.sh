# The same in programs that are linked statically.
flags=-static
for script in threads handlers processes leaving unwinding depth; do
  echo "$script:"
  . "$here/$script.sh"
done
