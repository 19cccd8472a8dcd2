/** The meaning of a key for a terminal, by its settings as `stty -a` prints them. */
import { describe, expect, it } from 'vitest';
import { SIGNAL_FRAME_MAX_BYTES } from '../../../protocol/limits.ts';
import { type KeySignal, StuckKeys, signalKeyIn, signalOf } from '../../../vm-agent/pty/signal-keys.ts';

/** As coreutils print it. */
const LINUX = `speed 38400 baud; rows 24; columns 80; line = 0;
intr = ^C; quit = ^\\; erase = ^?; kill = ^U; eof = ^D; eol = <undef>; eol2 = <undef>; swtch = <undef>;
start = ^Q; stop = ^S; susp = ^Z; rprnt = ^R; werase = ^W; lnext = ^V; discard = ^O; min = 1; time = 0;
-parenb -parodd -cmspar cs8 -hupcl -cstopb cread -clocal -crtscts
isig icanon iexten echo echoe echok -echonl -noflsh -xcase -tostop -echoprt echoctl echoke -flusho -extproc`;

/** As macOS prints it. */
const MACOS = `speed 38400 baud; 24 rows; 80 columns;
lflags: icanon isig iexten echo echoe echok echoke -echonl echoctl
	-echoprt -altwerase -noflsh -tostop -flusho -pendin -nokerninfo
	-extproc
cchars: discard = ^O; dsusp = ^Y; eof = ^D; eol = <undef>;
	eol2 = <undef>; erase = ^?; intr = ^C; kill = ^U; lnext = ^V;
	min = 1; quit = ^\\; reprint = ^R; start = ^Q; status = ^T;
	stop = ^S; susp = ^Z; time = 0; werase = ^W;`;

describe('a key', () => {
  it.each([
    { key: 0x03, name: 'SIGINT' },
    { key: 0x1c, name: 'SIGQUIT' },
    { key: 0x1a, name: 'SIGTSTP' },
  ])('[X6] $key is $name', ({ key, name }) => {
    expect(signalOf(LINUX, key)).toEqual({ name, flushes: true });
    expect(signalOf(MACOS, key)).toEqual({ name, flushes: true });
  });

  it.each([
    {
      what: 'a program has turned signals off',
      settings: LINUX.replace(' isig', ' -isig').replace('\nisig', '\n-isig'),
    },
    { what: 'another key is set', settings: LINUX.replace('intr = ^C', 'intr = ^X') },
    { what: 'no key is set', settings: LINUX.replace('intr = ^C', 'intr = <undef>') },
    { what: 'the terminal cannot be queried', settings: '' },
  ])('[X6] has no signal when $what', ({ settings }) => {
    expect(signalOf(settings, 0x03)).toBe(null);
  });

  it('[X6] keeps earlier input if the program wants that', () => {
    expect(signalOf(LINUX.replace('-noflsh', 'noflsh'), 0x03)).toEqual({ name: 'SIGINT', flushes: false });
  });

  it('[X6] is searched for only in input short enough to be keys', () => {
    expect(signalKeyIn(Uint8Array.of(0x61, 0x03, 0x1a))).toBe(0x03);
    expect(signalKeyIn(Uint8Array.of(0x61, 0x0d))).toBe(undefined);
    expect(signalKeyIn(new Uint8Array(SIGNAL_FRAME_MAX_BYTES).fill(3))).toBe(3);
    expect(signalKeyIn(new Uint8Array(SIGNAL_FRAME_MAX_BYTES + 1).fill(3))).toBe(undefined);
  });
});

describe('a stuck key', () => {
  /** Lookups that are answered on demand, and the signals that were sent. */
  function story() {
    const lookups: PromiseWithResolvers<string>[] = [];
    const sent: KeySignal['name'][] = [];
    const keys = new StuckKeys({
      settings: () => {
        const lookup = Promise.withResolvers<string>();
        lookups.push(lookup);
        return lookup.promise;
      },
      send: ({ name }) => sent.push(name),
    });
    return { keys, lookups, sent };
  }

  it('[X6] that is held down is looked up once at a time', async () => {
    const { keys, lookups, sent } = story();
    for (let press = 0; press < 100; press++) keys.pressed(0x03);
    expect(lookups).toHaveLength(1);
    lookups[0]?.resolve(LINUX);
    await expect.poll(() => lookups.length).toBe(2);
    lookups[1]?.resolve(LINUX);
    await expect.poll(() => sent).toEqual(['SIGINT', 'SIGINT']);
    expect(lookups).toHaveLength(2);
  });

  it('[X6] is looked up after the one before, of which nothing came', async () => {
    const { keys, lookups, sent } = story();
    keys.pressed(0x03);
    keys.pressed(0x1c);
    lookups[0]?.resolve('');
    await expect.poll(() => lookups.length).toBe(2);
    lookups[1]?.resolve(LINUX);
    await expect.poll(() => sent).toEqual(['SIGQUIT']);
    keys.pressed(0x1a);
    expect(lookups).toHaveLength(3);
  });
});
