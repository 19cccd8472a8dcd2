/**
 * What a thread sleeps in, as the kernel tells it, and whether that is a read of its terminal. Pure.
 *
 * A thread that reads the terminal says so itself. One that waits for several descriptors counts only if none of them
 * but the terminal can wake it, and no time does: otherwise it may as well wait for the network, a child or the clock.
 */

/** For `read`, the descriptor is null if the kernel does not tell it to us. */
export type Sleep =
  | { readonly kind: 'read'; readonly fd: number | null }
  | { readonly kind: 'select'; readonly below: number }
  | { readonly kind: 'poll' }
  | { readonly kind: 'epoll'; readonly fd: number };

type Call = 'read' | 'select' | 'pselect' | 'poll' | 'ppoll' | 'epoll' | 'epoll2';

/** Numbers of system calls. */
const CALLS: Readonly<Record<string, Readonly<Record<number, Call>>>> = {
  x64: {
    0: 'read',
    19: 'read',
    23: 'select',
    270: 'pselect',
    7: 'poll',
    271: 'ppoll',
    232: 'epoll',
    281: 'epoll',
    441: 'epoll2',
  },
  arm64: { 63: 'read', 65: 'read', 72: 'pselect', 73: 'ppoll', 22: 'epoll', 441: 'epoll2' },
};

/** Where in the kernel a thread sleeps that reads a terminal; the second also for sockets. */
const READS = ['n_tty_read', 'wait_woken'];

/**
 * What a sleeping thread waits for; null if it is something else, or if time wakes it too. `syscall` and `wchan` are
 * the texts of /proc. The kernel shows the first only to those who may trace the program; without it, only a plain read
 * can be told.
 */
export function sleepOf(
  { syscall, wchan }: { readonly syscall: string | null; readonly wchan: string | null },
  arch: string = process.arch,
): Sleep | null {
  const calls = CALLS[arch];
  if (syscall === null || calls === undefined)
    return READS.includes(wchan ?? '') ? { kind: 'read', fd: null } : null;
  const [number, ...args] = syscall.trim().split(' ');
  const arg = (at: number): bigint => (args[at]?.startsWith('0x') ? BigInt(args[at]) : 0n);
  const isEndless = (at: number): boolean => (arg(at) & 0xffff_ffffn) === 0xffff_ffffn;
  switch (calls[Number(number)]) {
    case 'read':
      return { kind: 'read', fd: Number(arg(0)) };
    case 'select':
    case 'pselect':
      return arg(0) > 0n && arg(4) === 0n ? { kind: 'select', below: Number(arg(0)) } : null;
    case 'poll':
      return arg(1) > 0n && isEndless(2) ? { kind: 'poll' } : null;
    case 'ppoll':
      return arg(1) > 0n && arg(2) === 0n ? { kind: 'poll' } : null;
    case 'epoll':
      return isEndless(3) ? { kind: 'epoll', fd: Number(arg(0)) } : null;
    case 'epoll2':
      return arg(3) === 0n ? { kind: 'epoll', fd: Number(arg(0)) } : null;
    default:
      return null;
  }
}

/** The open descriptors of a process, and what each is, as the links in /proc/<pid>/fd say. */
export type OpenFiles = ReadonlyMap<number, string>;

/** A descriptor in an epoll, and whether it is watched for input. */
export interface Watched {
  readonly fd: number;
  readonly forInput: boolean;
}

const EPOLLIN = 1;

/** Reads the text of /proc/<pid>/fdinfo/<fd> of an epoll. */
export function watchedIn(text: string): Watched[] {
  return [...text.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)].map(([, fd, events]) => ({
    fd: Number(fd),
    forInput: (Number.parseInt(events ?? '', 16) & EPOLLIN) !== 0,
  }));
}

/** Whether the thread reads `terminal`, and nothing else wakes it. */
export function readsTerminal(
  sleep: Sleep,
  { files, terminal, watched }: { files: OpenFiles; terminal: string; watched: (fd: number) => Watched[] },
): boolean {
  const isTerminal = (fd: number): boolean => isSame(files.get(fd), terminal);
  const wakes = (fd: number): boolean => !isTerminal(fd) && isSource(files.get(fd), files);
  const onlyTerminal = (fds: readonly number[]): boolean => fds.some(isTerminal) && !fds.some(wakes);
  const all = [...files.keys()];
  switch (sleep.kind) {
    case 'read':
      return sleep.fd === null ? onlyTerminal(all) : isTerminal(sleep.fd);
    case 'select':
      return onlyTerminal(all.filter((fd) => fd < sleep.below));
    case 'poll':
      return onlyTerminal(all);
    case 'epoll': {
      const entries = watched(sleep.fd);
      return (
        entries.some(({ fd, forInput }) => forInput && isTerminal(fd)) && !entries.some(({ fd }) => wakes(fd))
      );
    }
  }
}

function isSame(link: string | undefined, terminal: string): boolean {
  return link === terminal || link === '/dev/tty';
}

/** What a process wakes itself by, or what is part of waiting. */
const OWN = ['anon_inode:[eventfd]', 'anon_inode:[eventpoll]', 'anon_inode:[io_uring]'];

/** Whether somebody else can end a wait for this descriptor. A file never waits; a pipe with both ends is its own. */
function isSource(link: string | undefined, files: OpenFiles): boolean {
  if (link === undefined || link.startsWith('/') || OWN.includes(link)) return false;
  if (!link.startsWith('pipe:')) return true;
  return [...files.values()].filter((other) => other === link).length < 2;
}
