/** Snapshots of a screen, and the events that it reports. */
import { describe, expect, it } from 'vitest';
import { DEVICE_ANSWER_WITHIN_MS } from '../../../vm-agent/screen/limits.ts';
import { shown, text, textOf, witness, world } from './screens.ts';
import { stateOf } from './terminal-state.ts';

describe('a snapshot', () => {
  it.each([
    { after: 'a new terminal', printed: '', cursor: { row: 1, col: 1 } },
    { after: 'text', printed: 'one\r\ntwo', cursor: { row: 2, col: 4 } },
    { after: 'the last column', printed: 'x'.repeat(40), cursor: { row: 1, col: 40 } },
    { after: 'a screenful', printed: '\r\n'.repeat(20), cursor: { row: 8, col: 1 } },
    { after: 'the alternate screen', printed: '\x1b[?1049h\x1b[3;5H', cursor: { row: 3, col: 5 } },
  ])('[A2] tells where the cursor is after $after', async ({ printed, cursor }) => {
    const w = world();
    const session = w.session();
    session.prints(printed);
    const asked = session.snapshot({ format: 'text', scope: 'screen' });
    w.thread.run();
    expect((await asked)?.cursor).toEqual(cursor);
  });

  it('[R1] is the state at its offset, completed by what was printed since', async () => {
    const w = world();
    const session = w.session();
    session.prints('parsed \x1b[3');
    w.thread.run();
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    session.prints('1mred ');
    w.thread.turn();
    session.prints('and more — ');
    const snapshot = await asked;
    expect(snapshot?.offset).toBe(10);
    expect(stateOf(shown(snapshot))).toMatchObject({ pen: expect.stringContaining('a1') });
  });

  it('[R1] is completed by what was parsed while it was written, with resizes and split characters', async () => {
    const w = world(0.25);
    const session = w.session();
    for (let n = 0; n < 500; n++) session.prints(`line ${n} — \x1b[3${n % 8}mcolour\r\n`);
    session.prints(Uint8Array.of(0xe2, 0x80));
    w.thread.run();
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    let isTaken = false;
    void asked.then(() => {
      isTaken = true;
    });
    const page: (string | Uint8Array)[] = [Uint8Array.of(0x94), '\x1b[41mwide 界', Uint8Array.of(0xe7, 0x95)];
    const later = [Uint8Array.of(0x8c), 'after a change of size\r\n\x1b[3', '2mgreen', Uint8Array.of(0xe7)];
    for (const output of page) {
      session.prints(output);
      w.thread.turn();
      w.thread.turn();
    }
    session.resizes(60, 10);
    for (const output of later) {
      session.prints(output);
      w.thread.turn();
      w.thread.turn();
    }
    await Promise.resolve();
    expect(isTaken, 'all of this while it is written').toBe(false);
    expect(session.screen.feed.queue.bytes).toBe(1);
    w.thread.run();
    const snapshot = await asked;
    const shownLater = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expect(snapshot?.size).toEqual({ cols: 40, rows: 8 });
    expect(snapshot?.offset).toBeLessThan((await shownLater)?.offset ?? 0);
    expect(stateOf(shown(snapshot))).toEqual(stateOf(shown(await shownLater)));
    let end = snapshot?.offset;
    for (const piece of snapshot?.replay ?? []) {
      expect(piece.offset).toBe(end);
      if (piece.kind === 'output') end = piece.offset + piece.bytes.length;
    }
    expect(end).toBe(session.offset);
  });

  it('[R1] does not wait for the queue', async () => {
    const w = world(0.1);
    const session = w.session();
    for (let n = 0; n < 2000; n++) session.prints(`line ${n} ${'x'.repeat(30)}\r\n`);
    w.thread.turn();
    const asked = session.snapshot({ format: 'ansi', scope: 'screen' });
    w.thread.turn();
    const snapshot = await asked;
    expect(snapshot?.offset).toBeLessThan(session.offset / 2);
    expect(snapshot?.end).toBe(session.offset);
    const { rows } = stateOf(shown(snapshot)).normal as { rows: string[] };
    expect(rows.at(-2)).toContain('line 1999');
  });

  it('[R1] starts before half a character, which is replayed whole', async () => {
    const w = world();
    const session = w.session();
    session.prints(Uint8Array.of(0x61, 0xe2, 0x80));
    w.thread.run();
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    const snapshot = await asked;
    expect(snapshot).toMatchObject({ offset: 1, end: 3 });
    const page = shown(snapshot);
    session.prints(Uint8Array.of(0x94, 0x62));
    page.write(Uint8Array.of(0x94, 0x62));
    expect(stateOf(page)).toEqual(stateOf(witness(session)));
  });

  it('[R1] waits for the output that it must include', async () => {
    const w = world(0.5);
    const session = w.session();
    for (let n = 0; n < 500; n++) session.prints(`line ${n}\r\n`);
    const asked = session.snapshot({ format: 'ansi', scope: 'screen', atLeast: session.offset });
    w.thread.run();
    expect((await asked)?.offset).toBe(session.offset);
  });

  it('[R1] has resizes in order with the output', async () => {
    const w = world();
    const session = w.session();
    session.prints('a long line that will be wrapped when it is narrower');
    session.resizes(20, 5);
    session.prints('\r\nnarrow');
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    session.resizes(60, 10);
    const early = w.thread.turn();
    expect(early).toBe(true);
    const page = shown(await asked);
    expect(page.size).toEqual({ cols: 60, rows: 10 });
    w.thread.run();
    const later = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expect(stateOf(shown(await later))).toEqual(stateOf(page));
  });

  it('[R1] is available as text and as HTML, escaped', async () => {
    const w = world();
    const session = w.session();
    session.prints(`${'wrapped '.repeat(8)}\r\n\r\n\x1b[31;1m<script>alert("1&2")</script>\x1b[0m 'x'`);
    expect(await textOf(session, w)).toBe(
      `${'wrapped '.repeat(8).trimEnd()}\n\n<script>alert("1&2")</script> 'x'\n`,
    );
    const asked = session.snapshot({ format: 'html', scope: 'screen' });
    w.thread.run();
    const html = text(await asked);
    expect(html).toContain('&lt;script&gt;alert(&quot;1&amp;2&quot;)&lt;/script&gt;');
    expect(html).toContain('color:#cc0000;font-weight:bold;');
    expect(html).not.toContain('<script');
  });

  it('[R1] is undefined if the screen is closed before it is made', async () => {
    const { session, pool } = world();
    const { screen } = session();
    const asked = screen.snapshot({ format: 'ansi', scope: 'all' });
    screen.close();
    expect(await asked).toBeUndefined();
    expect(await screen.snapshot({ format: 'ansi', scope: 'all' })).toBeUndefined();
    expect(pool.queuedBytes).toBe(0);
  });
});

describe('events', () => {
  it('[R1] report title, directory and bell, without control and direction characters', () => {
    const w = world();
    const session = w.session();
    session.prints('\x1b]2;evil\u202e title\x07\x1b]7;file://demo/tmp/a%20b\x07\x07');
    w.thread.run();
    expect(session.log).toEqual(['title evil title', 'cwd /tmp/a b', 'bell', 'noticed ""']);
  });

  it.each([
    { asks: 'DA1', query: '\x1b[c', answer: '\x1b[?62;4;22c' },
    { asks: 'DA2', query: '\x1b[>c', answer: '\x1b[>0;276;0c' },
    { asks: 'DSR', query: '\x1b[5n', answer: '\x1b[0n' },
    { asks: 'CPR', query: 'abc\x1b[6n', answer: '\x1b[1;4R' },
    { asks: 'DECRQM', query: '\x1b[?2004$p', answer: '\x1b[?2004;2$y' },
    { asks: 'DECRQSS', query: '\x1bP$qr\x1b\\', answer: '\x1bP1$r1;8r\x1b\\' },
    { asks: 'OSC 10', query: '\x1b]10;?\x07', answer: '\x1b]10;rgb:eeee/eeee/eeee\x1b\\' },
    { asks: 'OSC 11', query: '\x1b]11;?\x07', answer: '\x1b]11;rgb:1111/2222/3333\x1b\\' },
    {
      asks: 'OSC 4',
      query: '\x1b]4;1;#abcdef\x07\x1b]4;1;?\x07',
      answer: '\x1b]4;1;rgb:abab/cdcd/efef\x1b\\',
    },
    { asks: 'what it has asked of the keyboard', query: '\x1b[?u', answer: '\x1b[?0u' },
    { asks: 'XTVERSION', query: '\x1b[>0q', answer: '\x1bP>|xterm.js(6.0.0)\x1b\\' },
  ])('[R7] answer $asks once', ({ query, answer }) => {
    const w = world();
    const session = w.session({ theme: { foreground: '#eeeeee', background: '#112233' } });
    session.prints(query);
    w.thread.run();
    expect(session.log).toEqual([`answer ${JSON.stringify(answer)}`]);
  });

  it.each([
    { asks: 'the title', query: '\x1b]2;evil\x07\x1b[21t' },
    { asks: 'the icon', query: '\x1b]1;evil\x07\x1b[20t' },
    { asks: 'the size and the place of the window', query: '\x1b[11t\x1b[13t\x1b[18t\x1b[19t' },
    { asks: 'the clipboard', query: '\x1b]52;c;?\x07' },
  ])('[R7] do not answer $asks', ({ query }) => {
    const w = world();
    const session = w.session();
    session.prints(query);
    w.thread.run();
    expect(session.log.filter((line) => line.startsWith('answer'))).toEqual([]);
  });

  it('[R7] drop an answer that is more than a second late', () => {
    const w = world();
    const session = w.session();
    session.prints('\x1b[5n');
    w.clock.advance(DEVICE_ANSWER_WITHIN_MS);
    w.thread.run();
    session.prints('\x1b[5n');
    w.clock.advance(DEVICE_ANSWER_WITHIN_MS + 1);
    w.thread.run();
    expect(session.log).toEqual(['answer "\\u001b[0n"']);
  });
});
