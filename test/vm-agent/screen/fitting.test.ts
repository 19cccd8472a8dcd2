/** Snapshots that would be too large: the oldest lines of the history are left out, and that is said. */
import { describe, expect, it } from 'vitest';
import { inflate } from '../../../vm-agent/screen/deflate.ts';
import { HostedScreen, type SnapshotLimits } from '../../../vm-agent/screen/hosted-screen.ts';
import type { SnapshotReply } from '../../../vm-agent/screen/thread-messages.ts';

const LINES = 500;

function snapshot(
  format: 'ansi' | 'text' | 'html',
  limits: Partial<SnapshotLimits>,
  scope: 'all' | 'screen' = 'all',
) {
  const size = { cols: 40, rows: 10 };
  const open = {
    type: 'open',
    screen: 1,
    size,
    scrollbackLines: 1000,
    theme: {},
    offset: 0,
    cwd: null,
  } as const;
  const screen = new HostedScreen(open, { bytes: 1e9, deflatedBytes: 1e9, ...limits });
  const lines = Array.from(
    { length: LINES },
    (_, i) => `\x1b[3${i % 8}mline ${i} of ${LINES} é漢\x1b[38;2;1;2;${i % 256}mend`,
  );
  const bytes = new TextEncoder().encode(lines.join('\r\n'));
  screen.receive({ kind: 'output', bytes });
  while (screen.canParse) screen.parse(() => false);
  screen.ask({ type: 'snapshot', screen: 1, request: 1, format, scope, atLeast: 0 });
  const reply = screen.snapshotSlice(() => false) as SnapshotReply;
  return {
    ...reply,
    text: reply.deflated.length === 0 ? '' : new TextDecoder().decode(inflate(reply.deflated)),
  };
}

describe.each(['ansi', 'text', 'html'] as const)('a snapshot as %s', (format) => {
  const whole = snapshot(format, {});

  it('[X2] has everything when it fits exactly', () => {
    expect(whole).toMatchObject({ linesAbove: 0 });
    expect(whole.text).toContain('line 0 of');
    expect(snapshot(format, { bytes: whole.bytes })).toMatchObject({ linesAbove: 0, bytes: whole.bytes });
  });

  it('[X2] one byte too long loses its oldest lines and nothing else', () => {
    const cut = snapshot(format, { bytes: whole.bytes - 1 });
    expect(cut.bytes).toBeLessThan(whole.bytes);
    expect(cut.linesAbove).toBeGreaterThan(0);
    expect(cut.linesAbove).toBeLessThan(LINES / 4);
    expect(cut.text).toContain(`line ${LINES - 1} of`);
    expect(cut.text).toContain(`line ${cut.linesAbove} of`);
    expect(cut.text).not.toContain(`line ${cut.linesAbove - 1} of`);
  });

  it('[X2] keeps most of what fits, and is cut by its deflated length too', () => {
    const half = snapshot(format, { bytes: Math.ceil(whole.bytes / 2) });
    expect(half.linesAbove).toBeGreaterThan(LINES * 0.4);
    expect(half.linesAbove).toBeLessThan(LINES * 0.7);
    const packed = snapshot(format, { deflatedBytes: whole.deflated.length - 1 });
    expect(packed.deflated.length).toBeLessThan(whole.deflated.length);
    expect(packed.text).toContain(`line ${LINES - 1} of`);
  });

  it('[X2] is none when not even the screen fits', () => {
    const screen = snapshot(format, {}, 'screen');
    const none = snapshot(format, { bytes: screen.bytes - 1 });
    expect(none).toMatchObject({ bytes: screen.bytes, text: '' });
  });
});
