/** What single-terminal mode sends when a screen replaces earlier output, and which output it refuses. */
import { describe, expect, it } from 'vitest';
import type { WorkspaceClient } from '../../../../client/workspace-client.ts';
import { AnswerBudget } from '../../../../worker/api/link/answer-budget.ts';
import { TerminalSocket } from '../../../../worker/api/single-terminal/terminal.ts';
import { TerminalLines } from '../../../../worker/api/single-terminal/terminal-lines.ts';
import { ALL_FAST_BYTES_PER_S, TerminalPace } from '../../../../worker/api/single-terminal/terminal-pace.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A socket that keeps what is sent, and a terminal on it. */
function open(lines = new TerminalLines(ALL_FAST_BYTES_PER_S)) {
  const sent: string[] = [];
  const closed: string[] = [];
  const socket = {
    send: (data: Uint8Array) => sent.push(new TextDecoder().decode(data)),
    close: (code: number, why: string) => closed.push(`${code} ${why}`),
  };
  const size = { cols: 80, rows: 24 };
  const account = new AnswerBudget().open('w', false);
  const pace = new TerminalPace(new FakeClock(), lines.of('w'));
  const client = {} as WorkspaceClient;
  const terminal = new TerminalSocket(socket as unknown as WebSocket, client, size, account, pace);
  return { sent, closed, terminal, write: (text: string) => terminal.write(bytes(text), () => {}) };
}

describe('a plain WebSocket that gets another screen', () => {
  it.each([
    ['a title', '\x1b]0;ti'],
    ['a device control string', '\x1bP1$'],
    ['a CSI sequence', '\x1b[3'],
    ['a long string that may be a query', `\x1b]11;?${'x'.repeat(100_000)}`],
  ])('[D4] is sent all of it, even if earlier output ended inside %s', (_what, unfinished) => {
    const { sent, terminal, write } = open();
    write(`before${unfinished}`);
    terminal.reset({ kind: 'snapshot', offset: 20, lost: 0 });
    sent.length = 0;
    write('the screen');
    expect(sent.join('')).toBe('the screen');
  });

  it('[D4] is sent all of it, even if earlier output ended inside a character', () => {
    const { sent, terminal } = open();
    terminal.write(Uint8Array.of(0xe2, 0x80), () => {});
    terminal.reset({ kind: 'snapshot', offset: 2, lost: 0 });
    sent.length = 0;
    terminal.write(bytes('the screen'), () => {});
    expect(sent.join('')).toBe('the screen');
  });

  it('[D5] resets the colours that programs changed', () => {
    const { sent, terminal } = open();
    terminal.reset({ kind: 'snapshot', offset: 0, lost: 0 });
    for (const code of [104, 110, 111, 112]) expect(sent.join('')).toContain(`\x1b]${code}\x1b\\`);
    expect(sent.join('').startsWith('\x18\x1bc')).toBe(true);
  });
});

describe('a plain WebSocket whose machine ignores acknowledgements', () => {
  it('[SEC21] [RL23] is closed once its workspace is too far ahead, without parsing more', () => {
    const lines = new TerminalLines(ALL_FAST_BYTES_PER_S);
    const { sent, closed, write } = open(lines);
    write('a');
    const others = lines.of('w');
    while (!others.isTooFarAhead(0)) others.sent(1_000_000, 0);
    write('b');
    write('c');
    expect([sent, closed]).toEqual([['a'], [expect.stringMatching(/^4400 .*more than was requested/)]]);
  });
});
