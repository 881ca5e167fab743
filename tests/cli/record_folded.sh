# Recording straight into descriptors: the same file as represent makes, of programs that end in any way.
vestige-cc -O1 $SOURCES/nests.c -o nests
vestige-cc -O1 -pthread $SOURCES/locks.c -o locks
hide() { sed -E 's/[0-9.]+ (KiB|bytes)/SIZE/g;s/[0-9,]+ references/N references/'; }
code vestige record --as eprsd -o direct.vst -- ./nests 9 2>&1 | hide
vestige record -q --what memory -o nests.vst -- ./nests 9
vestige represent -q nests.vst --as eprsd -o small.vst > /dev/null
cmp direct.vst small.vst && echo "the same bytes"
code vestige verify direct.vst
vestige record --as eprsd -o threads.vst -- ./locks 2>&1 > /dev/null | hide
vestige verify threads.vst
echo "a child that begins before its parent's other thread"
cat > forks.c << 'X'
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
int a[10];
void *work(void *unused) {
  for (int i = 0; i < 5; ++i) a[i] += 1;
  return unused;
}
int main(void) {
  if (fork() == 0) {
    for (int i = 0; i < 3; ++i) a[i] -= 1;
    _exit(0);
  }
  wait(0);
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
}
X
vestige-cc -O1 -pthread forks.c -o forks
vestige record -q --what memory -o forks.vst -- ./forks
vestige represent -q forks.vst --as eprsd -o forks.small.vst > /dev/null
cmp <(vestige replay forks.vst) <(vestige replay forks.small.vst) && echo "the same references, process by process"
echo "a program that is killed"
cat > killed.c << 'X'
#include <signal.h>
int a[100];
int main(void) {
  for (int r = 0; r < 50; ++r)
    for (int i = 0; i < 100; ++i) a[i] += i;
  raise(SIGKILL);
}
X
vestige-cc -O1 killed.c -o killed
code vestige record --as eprsd -- ./killed 2>&1 | hide
vestige replay killed.vst | wc -l
ls *.recording 2> /dev/null
echo "what cannot be written is kept as a recording"
mkdir folder.vst
code vestige record --as eprsd -o folder.vst -- ./nests 9
ls *.recording
vestige represent folder.vst.recording --as eprsd -q -o kept.vst > /dev/null && cmp kept.vst small.vst && echo "the same bytes"
echo "what is refused"
code vestige record --as eprsd --what control -- ./nests 9
code vestige record --as cor -- ./nests 9
code vestige record --as eprsd --last 10 -- ./nests 9
code vestige record --as eprsd -o no.vst -- /bin/true
ls no.vst no.vst.recording 2> /dev/null | wc -l
