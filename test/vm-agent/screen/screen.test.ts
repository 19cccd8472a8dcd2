import { describe, expect, it } from 'vitest';
import { inflateState } from '../../../vm-agent/screen/deflate.ts';
import {
  DEVICE_ANSWER_WITHIN_MS,
  POOL_QUEUE_MAX_BYTES,
  SCREEN_QUEUE_MAX_BYTES,
  SLEEP_AFTER_MS,
  STALL_LOOK_MS,
  STALL_LOOKS,
} from '../../../vm-agent/screen/limits.ts';
import type { Snapshot } from '../../../vm-agent/screen/snapshot.ts';
import { type Session, shown, type World, witness, world } from './screens.ts';
import { stateOf } from './terminal-state.ts';

const text = (snapshot: Snapshot | undefined) =>
  new TextDecoder().decode(inflateState(snapshot?.deflated ?? new Uint8Array(0)));

async function textOf(session: Session, { thread }: World): Promise<string> {
  const asked = session.snapshot({ format: 'text', scope: 'all' });
  thread.run();
  return text(await asked);
}

function fallAsleep(session: Session, { clock, thread }: World): void {
  thread.run();
  clock.advance(SLEEP_AFTER_MS);
  thread.run();
  expect(session.screen.state).toBe('asleep');
}

describe('a snapshot', () => {
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
    expect(session.screen.queuedBytes).toBe(1);
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
    expect(session.log).toEqual(['title evil title', 'cwd /tmp/a b', 'bell']);
  });

  it.each([
    { asks: 'DA1', query: '\x1b[c', answer: '\x1b[?1;2c' },
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
    { asks: 'the size of the window', query: '\x1b[14t\x1b[18t\x1b[19t' },
    { asks: 'the clipboard', query: '\x1b]52;c;?\x07' },
    { asks: 'the state of kitty keys', query: '\x1b[?u' },
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

describe('a full queue', () => {
  it('[R7] is reported at its limit, and not again before it is half empty', () => {
    const w = world();
    const session = w.session();
    const chunk = new Uint8Array(256 * 1024).fill(0x61);
    while (!session.screen.isFull) session.prints(chunk);
    expect(session.screen.queuedBytes).toBe(SCREEN_QUEUE_MAX_BYTES);
    expect(session.log).toEqual(['full']);
    while (session.screen.queuedBytes > SCREEN_QUEUE_MAX_BYTES / 2) {
      expect(session.log).toEqual(['full']);
      w.thread.turn();
    }
    expect(session.log).toEqual(['full', 'no longer full']);
  });

  it('[R7] fills the pool together with others, and only those that hold much are paused', () => {
    const w = world();
    const quiet = w.session();
    quiet.prints('a prompt');
    const floods = Array.from({ length: 9 }, () => w.session());
    const chunk = new Uint8Array(SCREEN_QUEUE_MAX_BYTES - 64 * 1024).fill(0x61);
    for (const flood of floods) flood.prints(chunk);
    expect(w.pool.queuedBytes).toBeGreaterThan(POOL_QUEUE_MAX_BYTES);
    expect(floods.every(({ screen }) => screen.isFull)).toBe(true);
    expect(quiet.log).toEqual([]);
    for (const { screen } of floods) screen.close();
    expect(w.pool.queuedBytes).toBe('a prompt'.length);
  });
});

describe('a sleeping screen', () => {
  it('[R1] frees its terminal after a minute, and wakes up the same for output', async () => {
    const w = world();
    const session = w.session();
    session.prints(
      '\x1b]2;t\x07\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\\x1b[?25l\x1b[4:3mcurly \x1b[3;6r\x1b[5;5H—\x1b[3',
    );
    fallAsleep(session, w);
    expect(w.thread.terminals).toBe(0);
    session.prints('1mred');
    expect(session.screen.state).toBe('awake');
    w.thread.run();
    const asked = session.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.run();
    expect(stateOf(shown(await asked))).toEqual(stateOf(witness(session)));
    expect(session.log).toEqual(['title t']);
  });

  it('[R1] serves the usual snapshots without waking', async () => {
    const w = world();
    const session = w.session();
    for (let n = 0; n < 300; n++) session.prints(`line ${n}\r\n`);
    fallAsleep(session, w);
    const all = await session.snapshot({ format: 'ansi', scope: 'all' });
    const recent = await session.snapshot({ format: 'ansi', scope: 'recent' });
    expect(session.screen.state).toBe('asleep');
    expect(stateOf(shown(all))).toEqual(stateOf(witness(session)));
    expect(recent?.bytes).toBeLessThan(all?.bytes ?? 0);
    expect([all?.linesAbove, (recent?.linesAbove ?? 0) > 0]).toEqual([0, true]);
    expect(await textOf(session, w)).toContain('line 0\nline 1\n');
    expect(session.screen.state).toBe('awake');
  });

  it('[R1] is not affected by output that arrives while it falls asleep', async () => {
    const w = world();
    const session = w.session();
    session.prints('before ');
    w.thread.run();
    w.clock.advance(SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('dozing');
    session.prints('after');
    w.thread.run();
    expect(session.screen.state).toBe('awake');
    expect(await textOf(session, w)).toBe('before after\n');
  });

  it('[R1] must have no client, and a minute without activity', () => {
    const w = world();
    const session = w.session();
    session.screen.watched = true;
    w.thread.run();
    w.clock.advance(10 * SLEEP_AFTER_MS);
    expect(session.screen.state).toBe('awake');
    session.screen.watched = false;
    w.clock.advance(SLEEP_AFTER_MS - 1);
    expect(session.screen.state).toBe('awake');
    w.clock.advance(1000);
    expect(session.screen.state).toBe('dozing');
  });

  it('[R1] keeps half a character', async () => {
    const w = world();
    const session = w.session();
    session.prints(Uint8Array.of(0x61, 0xe7));
    fallAsleep(session, w);
    session.prints(Uint8Array.of(0x95, 0x8c));
    expect(await textOf(session, w)).toBe('a界\n');
  });
});

describe('a thread that dies', () => {
  it('[R1] is replaced, and its screens are rebuilt from history and queue', async () => {
    const w = world();
    const session = w.session({ history: (before) => witnessBytes(session).subarray(0, before) });
    session.prints('\x1b[1mparsed\x1b[5n ');
    w.thread.run();
    session.prints('in the queue');
    w.thread.dies();
    expect(w.threads).toHaveLength(2);
    expect(w.lost).toEqual(['died by hand']);
    expect(await textOf(session, w)).toBe('parsed in the queue\n');
    expect(session.log).toEqual(['answer "\\u001b[0n"', 'rebuilt']);
  });

  it('[R1] loses only what it was parsing for the screen that killed it', async () => {
    const w = world();
    const guilty = w.session();
    const other = w.session({ history: () => new Uint8Array(0) });
    guilty.prints('poison');
    other.prints('fine');
    const asked = guilty.snapshot({ format: 'ansi', scope: 'all' });
    w.thread.dies(guilty.screen.id);
    expect(await asked).toBeUndefined();
    guilty.prints('again');
    expect(await textOf(guilty, w)).toBe('again\n');
    expect(await textOf(other, w)).toBe('fine\n');
  });

  it('[R1] does not affect a screen that sleeps', async () => {
    const w = world();
    const session = w.session();
    session.prints('dreaming');
    fallAsleep(session, w);
    w.thread.dies();
    expect(await textOf(session, w)).toBe('dreaming\n');
    expect(session.log).toEqual([]);
  });

  it('[R7] is considered dead after ten checks without progress, not after one', () => {
    const w = world();
    w.session().prints('work');
    const [first] = w.threads;
    w.clock.advance(STALL_LOOK_MS * (STALL_LOOKS - 1));
    expect(first?.isStopped).toBe(false);
    w.clock.advance(STALL_LOOK_MS * 2);
    expect(first?.isStopped).toBe(true);
    expect(w.lost).toEqual(['no progress']);
  });

  it('[R7] leaves no timer behind when everything is closed', async () => {
    const w = world();
    const session = w.session();
    session.prints('x');
    w.thread.run();
    await w.pool.close();
    w.clock.advance(STALL_LOOK_MS);
    expect(w.clock.pending).toBe(0);
  });
});

function witnessBytes({ printed }: Session): Uint8Array {
  return new Uint8Array(Buffer.concat(printed));
}
