/** What the kernel says about sleeping threads. The texts are those of real programs. */
import { describe, expect, it } from 'vitest';
import { readsTerminal, sleepOf, watchedIn } from '../../../vm-agent/pty/thread-sleep.ts';

const asleep = (syscall: string | null, wchan: string | null = null) => sleepOf({ syscall, wchan }, 'x64');

describe('a sleeping thread', () => {
  it.each([
    ['cat', '0 0x0 0x7f887bfee000 0x20000 0x0 0x0 0x0 0x7ffc 0x7f88', { kind: 'read', fd: 0 }],
    ['getpass', '0 0x3 0x558d502e1170 0x2000 0x0 0x0 0x0 0x7ffc 0x7f88', { kind: 'read', fd: 3 }],
    ['a line editor', '270 0x1 0x7ffd08b2bc30 0x0 0x0 0x0 0x0 0x7ffc 0x7f88', { kind: 'select', below: 1 }],
    ['fish', '7 0x55da81d7f130 0x3 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f88', { kind: 'poll' }],
    ['node', '281 0xf 0x7ffc20481460 0x400 0xffffffff 0x0 0x8 0x7ffc 0x7f88', { kind: 'epoll', fd: 15 }],
    ['top, which time wakes', '270 0x1 0x7ffcb58438b0 0x0 0x0 0x7ffcb5843810 0x7ffc 0x1 0x2', null],
    ['select as a sleep', '23 0x0 0x0 0x0 0x0 0x7ffcb5843810 0x0 0x7ffc 0x7f88', null],
    ['poll with a time', '7 0x55da81d7f130 0x1 0x3e8 0x0 0x0 0x0 0x7ffc 0x7f88', null],
    ['epoll with a time', '281 0xf 0x7ffc20481460 0x400 0x1388 0x0 0x8 0x7ffc 0x7f88', null],
    ['poll of nothing', '7 0x0 0x0 0xffffffff 0x0 0x0 0x0 0x7ffc 0x7f88', null],
    ['sleep', '230 0x0 0x0 0x7ffc 0x7ffc 0x0 0x0 0x7ffc 0x7f88', null],
    ['a thread that runs', 'running\n', null],
  ])('%s', (_, syscall, expected) => {
    expect(asleep(syscall)).toEqual(expected);
  });

  it('that we may not trace is told only by where in the kernel it is', () => {
    expect(asleep(null, 'wait_woken')).toEqual({ kind: 'read', fd: null });
    expect(asleep(null, 'n_tty_read')).toEqual({ kind: 'read', fd: null });
    expect(asleep(null, 'poll_schedule_timeout.constprop.0')).toBeNull();
    expect(asleep(null, '0')).toBeNull();
    expect(asleep(null)).toBeNull();
  });

  it('has other numbers on another processor', () => {
    expect(sleepOf({ syscall: '63 0x0 0x1 0x1 0x0 0x0 0x0', wchan: null }, 'arm64')).toEqual({
      kind: 'read',
      fd: 0,
    });
    expect(sleepOf({ syscall: '63 0x0 0x1 0x1 0x0 0x0 0x0', wchan: 'wait_woken' }, 's390x')).toEqual({
      kind: 'read',
      fd: null,
    });
  });
});

const terminal = '/dev/pts/7';
const files = (...links: string[]) => new Map(links.map((link, fd) => [fd, link]));
const reads = (
  sleep: NonNullable<ReturnType<typeof asleep>>,
  links: string[],
  watched = () => watchedIn(''),
) => readsTerminal(sleep, { files: files(...links), terminal, watched });

describe('[A4] the terminal is what a thread waits for', () => {
  const tty = [terminal, terminal, terminal];
  it.each([
    ['a read of it', { kind: 'read', fd: 0 }, tty, true],
    ['a read of it by another name', { kind: 'read', fd: 1 }, ['/dev/null', '/dev/tty'], true],
    ['a read of a pipe', { kind: 'read', fd: 0 }, ['pipe:[1]', terminal], false],
    ['a read of another terminal', { kind: 'read', fd: 0 }, ['/dev/pts/70'], false],
    ['a read of something unknown', { kind: 'read', fd: null }, tty, true],
    ['a read of something unknown, with a socket', { kind: 'read', fd: null }, [...tty, 'socket:[5]'], false],
    ['a select', { kind: 'select', below: 1 }, [...tty, 'socket:[5]'], true],
    ['a select that may be of a socket', { kind: 'select', below: 4 }, [...tty, 'socket:[5]'], false],
    ['a poll', { kind: 'poll' }, [...tty, '/tmp/log', 'anon_inode:[eventfd]'], true],
    ['a poll beside a pipe of its own', { kind: 'poll' }, [...tty, 'pipe:[5]', 'pipe:[5]'], true],
    ['a poll beside a pipe to a child', { kind: 'poll' }, [...tty, 'pipe:[5]'], false],
    ['a poll beside watched files', { kind: 'poll' }, [...tty, 'anon_inode:inotify'], false],
    ['a poll without it', { kind: 'poll' }, ['/dev/null', 'pipe:[5]', 'pipe:[5]'], false],
  ] as const)('%s', (_, sleep, links, expected) => {
    expect(reads(sleep, [...links])).toBe(expected);
  });

  it('in an epoll, if it is watched there for input and only descriptors of the process are beside it', () => {
    const links = [...tty, 'anon_inode:[eventpoll]', 'anon_inode:[eventfd]', 'socket:[9]'];
    const epoll = (text: string) => reads({ kind: 'epoll', fd: 3 }, links, () => watchedIn(text));
    const head = 'pos:\t0\nflags:\t02000002\nmnt_id:\t16\nino:\t2097\n';
    const entry = (fd: number, events: string) =>
      `tfd:        ${fd} events:       ${events} data:        ${fd}  pos:0 ino:3 sdev:1b\n`;
    expect(epoll(head + entry(4, '19') + entry(0, '19'))).toBe(true);
    expect(epoll(head + entry(4, '19') + entry(0, '4'))).toBe(false);
    expect(epoll(head + entry(4, '19'))).toBe(false);
    expect(epoll(head + entry(0, '19') + entry(5, '19'))).toBe(false);
  });
});
