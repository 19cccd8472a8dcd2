/** Snapshots that would be too large: the oldest lines of the history are left out, and this is reported. */
import { describe, expect, it } from 'vitest';
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import { HostedScreen } from '../../../vm-agent/screen/hosted-screen.ts';
import type { SnapshotLimits } from '../../../vm-agent/screen/snapshot-writer.ts';
import type { FromThread, SnapshotReply } from '../../../vm-agent/screen/thread-messages.ts';
import { bytesOf, expectSame, terminal } from './terminal-state.ts';

const LINES = 500;
const SIZE = { cols: 40, rows: 10 };
const PRINTED = Array.from(
  { length: LINES },
  (_, i) => `\x1b[3${i % 8}mline ${i} of ${LINES} é漢\x1b[38;2;1;2;${i % 256}mend`,
).join('\r\n');

/** What is written of a screen that shows `printed`; null when nothing is. */
function writtenOf(
  printed: string,
  format: 'ansi' | 'text' | 'html',
  limits: Partial<SnapshotLimits>,
  scope: 'all' | 'screen' = 'all',
) {
  const open = {
    type: 'open',
    screen: 1,
    size: SIZE,
    scrollbackLines: 1000,
    theme: {},
    offset: 0,
    cwd: null,
  } as const;
  const screen = new HostedScreen(open, {
    limits: { bytes: 1e9, deflatedBytes: 1e9, sleepingBytes: 1e9, ...limits },
  });
  screen.receive({ kind: 'output', bytes: new TextEncoder().encode(printed) });
  while (screen.canParse) screen.parse(() => false);
  screen.ask({ type: 'snapshot', screen: 1, request: 1, format, scope, atLeast: 0 });
  let reply: FromThread | undefined;
  let steps = 0;
  for (; reply === undefined; steps++) reply = screen.snapshotSlice(() => true);
  const { written } = reply as SnapshotReply;
  return written && { ...written, steps, text: new TextDecoder().decode(inflateState(written.deflated)) };
}

function snapshot(...[format, limits, scope]: Rest<Parameters<typeof writtenOf>>) {
  const written = writtenOf(PRINTED, format, limits, scope);
  if (written === null) throw new Error('too large');
  return written;
}

type Rest<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

describe.each(['ansi', 'text', 'html'] as const)('a snapshot as %s', (format) => {
  const whole = snapshot(format, {});

  it('[X2] has everything if it fits exactly', () => {
    expect(whole).toMatchObject({ linesAbove: 0 });
    expect(whole.text).toContain('line 0 of');
    expect(snapshot(format, { bytes: whole.bytes })).toMatchObject({ linesAbove: 0, bytes: whole.bytes });
  });

  it('[X2] that is one byte too long loses only its oldest lines', () => {
    const cut = snapshot(format, { bytes: whole.bytes - 1 });
    expect(cut.bytes).toBeLessThan(whole.bytes);
    expect(cut.linesAbove).toBeGreaterThan(0);
    expect(cut.linesAbove).toBeLessThan(LINES / 4);
    expect(cut.text).toContain(`line ${LINES - 1} of`);
    expect(cut.text).toContain(`line ${cut.linesAbove} of`);
    expect(cut.text).not.toContain(`line ${cut.linesAbove - 1} of`);
  });

  it('[X2] keeps most of what fits, and is also limited by its deflated length', () => {
    const half = snapshot(format, { bytes: Math.ceil(whole.bytes / 2) });
    expect(half.linesAbove).toBeGreaterThan(LINES * 0.4);
    expect(half.linesAbove).toBeLessThan(LINES * 0.7);
    const packed = snapshot(format, { deflatedBytes: whole.deflated.length - 1 });
    expect(packed.deflated.length).toBeLessThan(whole.deflated.length);
    expect(packed.text).toContain(`line ${LINES - 1} of`);
  });

  it('[X2] is omitted if not even the screen fits', () => {
    const screen = snapshot(format, {}, 'screen');
    expect(writtenOf(PRINTED, format, { bytes: screen.bytes - 1 })).toBeNull();
  });
});

describe('a snapshot of a screen with more links than fit', () => {
  const link = (uri: string) => `\x1b]8;;${uri}\x1b\\`;
  const uri = `http://example/${'a'.repeat(1000)}`;
  /** The same with and without its links: every other cell of a line has one, and so has the pen at the end. */
  const lineWith = (open: string, close: string) => `\x1b[31m${`${open}x${close}y`.repeat(18)}\r\n`;
  const linked = `first\r\n${lineWith(link(uri), link('')).repeat(30)}${link(uri)}\x1b[4mend`;
  const bare = `first\r\n${lineWith('', '').repeat(30)}\x1b[4mend`;

  const drawn = (text: string) => {
    const emulator = terminal(SIZE, 1000);
    emulator.restore(bytesOf(text));
    return emulator;
  };

  it('[X2] has all of them if they fit', () => {
    expect(writtenOf(linked, 'ansi', {})?.text).toContain(uri);
  });

  it('[X2] [R1] has its history, and is the same except for the links', () => {
    const written = writtenOf(linked, 'ansi', { bytes: 50_000 });
    expect(written).toMatchObject({ linesAbove: 0 });
    expectSame(drawn(written?.text ?? ''), drawn(bare));
  });

  it('[X2] loses lines of its history first', () => {
    const written = writtenOf(linked, 'ansi', { bytes: 400_000 });
    expect(written?.text).toContain(uri);
    expect(written?.linesAbove).toBeGreaterThan(0);
  });

  it('[X2] is not rewritten for every few lines of a history that does not matter', () => {
    const history = 'short\r\n'.repeat(900);
    const screen = `\x1b[?1049h${`${link(uri)}x${link('')}y`.repeat(100)}`;
    const written = writtenOf(history + screen, 'ansi', { bytes: 20_000 });
    expect(written).toMatchObject({ linesAbove: 0 });
    expect(written?.steps).toBeLessThan(5 * 900);
  });
});
