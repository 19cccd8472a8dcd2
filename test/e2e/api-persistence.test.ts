/**
 * The eighteen cases of a persistent terminal, over HTTP only: a client that connects, disconnects, and finds
 * everything again.
 */
import { describe, expect, it } from 'vitest';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { PROMPT } from '../support/type-into.ts';
import { api, opensApi } from './api-world.ts';

opensApi();

/** What a terminal shows that is given a snapshot. */
async function shown(data: string, size: { cols: number; rows: number }): Promise<string> {
  const screen = new TerminalScreen(size);
  await new Promise<void>((resolve) => screen.write(new TextEncoder().encode(data), resolve));
  return screen.text;
}

describe('snapshots', () => {
  it('[R3] a snapshot includes the history', async () => {
    const { id } = await api.create();
    await api.run(id, 'seq 1 100; echo end-$((1+1))', 'end-2');
    const { data } = await api.snapshot(id);
    expect(data).toMatch(/\n1\n2\n3\n/);
    expect(data).toMatch(/\n99\n100\nend-2\n/);
  });

  it('[R3] several clients get the same snapshot', async () => {
    const { id } = await api.create();
    await api.run(id, 'echo same-$((1+1))', 'same-2');
    const pictures = await Promise.all(Array.from({ length: 5 }, () => api.snapshot(id, 'ansi')));
    for (const picture of pictures) expect(picture).toEqual(pictures[0]);
  });

  it('[R3] a stream starts with what was printed before', async () => {
    const { id } = await api.create();
    await api.run(id, 'echo before-$((1+1))', 'before-2');
    using stream = await api.stream(id);
    const first = await stream.next();
    expect(first).toMatchObject({ name: 'snapshot', data: { cols: 80, rows: 24, lost: 0 } });
    expect(await shown(String(first?.data.data), { cols: 80, rows: 24 })).toMatch(/^before-2$/m);
  });

  it('[R3] 5000 lines are preserved', async () => {
    const { id } = await api.create();
    await api.run(id, 'seq 1 6000; echo end-$((1+1))', 'end-2');
    const lines = (await api.text(id)).split('\n');
    // The screen, and 5000 lines above it.
    expect(lines.length).toBeGreaterThanOrEqual(5000);
    const numbers = lines.filter((line) => /^\d+$/.test(line)).map(Number);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => 6001 - numbers.length + i));
  });

  it('[R3] formatting is preserved', async () => {
    const { id } = await api.create();
    await api.run(
      id,
      "printf '\\033[1;31mbold\\033[0m \\033[4;38;5;33mblue\\033[0m\\n'; echo end-$((1+1))",
      'end-2',
    );
    expect((await api.snapshot(id, 'ansi')).data).toMatch(/\[[\d;]*1;[\d;]*mbold/);
    const { data } = await api.snapshot(id, 'html');
    expect(data).toMatch(/<span style="[^"]*font-weight:bold[^"]*">bold<\/span>/);
    expect(data).toMatch(/<span style="[^"]*underline[^"]*">blue<\/span>/);
  });

  it('[R3] the snapshot of a new session has no history', async () => {
    const { id } = await api.create({ command: 'sleep', args: ['60'] });
    expect(await api.snapshot(id)).toEqual({ data: '', cols: 80, rows: 24, offset: 0 });
  });
});

describe('reconnecting', () => {
  it('[R4] a client disconnects and recovers everything', async () => {
    const { id } = await api.create();
    const before = await api.stream(id);
    await api.run(id, 'echo one-$((1+1))', 'one-2');
    await before.text(/one-2/);
    before[Symbol.dispose]();
    await api.run(id, 'echo two-$((1+1))', 'two-2');
    using after = await api.stream(id, '', { 'Last-Event-ID': before.lastId ?? '' });
    const missed = await after.text(/two-2/);
    expect(missed, 'only what was missed').not.toMatch(/one-2/);
  });

  it('[R4] a client disconnects several times in a row', async () => {
    const { id } = await api.create();
    let lastId: string | undefined;
    let text = '';
    for (let i = 1; i <= 5; i++) {
      using stream = await api.stream(id, '', lastId === undefined ? {} : { 'Last-Event-ID': lastId });
      await api.type(id, `echo round-$((${i}))-\n`);
      text += await stream.text(new RegExp(`round-${i}-`));
      lastId = stream.lastId;
    }
    expect(text.match(/^round-\d-/gm)).toEqual(['round-1-', 'round-2-', 'round-3-', 'round-4-', 'round-5-']);
  });

  it('[R4] the state is kept', async () => {
    const { id } = await api.create();
    const first = await api.stream(id);
    await api.run(id, 'x=kept; cd /tmp; stty -echo; echo set-$((1+1))', 'set-2');
    first[Symbol.dispose]();
    using second = await api.stream(id);
    await api.type(id, 'echo $x $PWD\n');
    await second.text(/kept \/tmp/);
  });

  it('[R4] several clients disconnect at once', async () => {
    const { id } = await api.create();
    const [steady, leaving] = [await api.stream(id), await api.stream(id)];
    await api.type(id, 'echo both-$((1+1))\n');
    const all = await steady.text(/both-2/);
    const part = await leaving.text(/both-2/);
    leaving[Symbol.dispose]();
    await api.type(id, 'echo alone-$((1+1))\n');
    const rest = await steady.text(/alone-2/);
    using back = await api.stream(id, '', { 'Last-Event-ID': leaving.lastId ?? '' });
    // Prompts before and after may be in one's text and not yet, or otherwise, in the other's.
    const between = (text: string) => text.slice(text.indexOf('both-2'), text.indexOf('alone-2'));
    expect(between(part + (await back.text(/alone-2/)))).toBe(between(all + rest));
    steady[Symbol.dispose]();
  });
});

describe('continuing after a disconnect', () => {
  it('[R5] command history', async () => {
    const { id } = await api.create({ command: 'bash', args: ['--norc', '-i'] });
    await api.run(id, 'echo first-$((1+1))', 'first-2');
    (await api.stream(id))[Symbol.dispose]();
    await api.run(id, 'history | tail -n 2 | head -n 1', 'echo first-$((1+1))\n');
    // Up, twice: past the command above to the first one.
    await api.type(id, '\x1b[A\x1b[A');
    await api.run(id, '', 'first-2\n');
    expect((await api.text(id)).match(/^first-2$/gm)).toHaveLength(2);
  });

  it('[R5] working directory', async () => {
    const { id } = await api.create({ cwd: '/' });
    await api.run(id, 'cd /usr/share; echo there-$((1+1))', 'there-2');
    (await api.stream(id))[Symbol.dispose]();
    await api.run(id, 'pwd', '/usr/share\n');
  });

  it('[R5] environment variables', async () => {
    const { id } = await api.create({ env: { PS1: PROMPT, GIVEN: 'from the start' } });
    await api.run(id, 'export MADE=later; echo set-$((1+1))', 'set-2');
    (await api.stream(id))[Symbol.dispose]();
    await api.run(id, 'env | grep -E "^(GIVEN|MADE)=" | sort', 'MADE=later');
    expect(await api.text(id)).toMatch(/^GIVEN=from the start\nMADE=later$/m);
  });

  it('[R5] a long-running process', async () => {
    const { id } = await api.create();
    const stream = await api.stream(id);
    await api.type(id, 'i=0; while sleep 0.05; do i=$((i+1)); echo tick-$i; done\n');
    await stream.text(/tick-3\r/);
    stream[Symbol.dispose]();
    using back = await api.stream(id);
    const text = await back.text(/tick-9\r/);
    expect(text.match(/tick-\d/g)?.join(' ')).toMatch(/tick-1 tick-2 tick-3 .*tick-9/);
  });
});

describe('edge cases', () => {
  it('[R6] clients connect and disconnect rapidly', async () => {
    const { id } = await api.create();
    await api.run(id, 'echo still-$((1+1))', 'still-2');
    for (let i = 0; i < 20; i++) (await api.stream(id))[Symbol.dispose]();
    await Promise.all(Array.from({ length: 10 }, async () => (await api.stream(id))[Symbol.dispose]()));
    await api.run(id, 'echo alive-$((1+1))', 'alive-2');
  });

  it('[R6] a snapshot is taken during heavy output', async () => {
    const { id } = await api.create({ args: ['-c', 'read go; seq 1 300000; echo done; read end'] });
    await api.type(id, '\n');
    await api.waitFor(id, { pattern: '^\\d+$' });
    let last = 0;
    for (const format of ['text', 'ansi', 'html', 'text'] as const) {
      const picture = await api.snapshot(id, format);
      expect(picture.offset).toBeGreaterThanOrEqual(last);
      last = picture.offset;
      if (format !== 'text') continue;
      // Every number is followed by the next: nothing torn, whatever was being printed.
      const numbers = [...picture.data.matchAll(/^(\d+)$/gm)]
        .map(([, number]) => Number(number))
        .slice(0, -1);
      for (const [i, number] of numbers.entries()) expect(number).toBe((numbers[0] ?? 0) + i);
    }
    await api.waitFor(id, { text: 'done' });
  });

  it('[R6] a snapshot is taken across a resize', async () => {
    const { id } = await api.create({ cols: 40, rows: 10 });
    await api.run(id, 'echo 12345678901234567890123456789012345678901234567890; echo end-$((1+1))', 'end-2');
    const resized = await api.ask('POST', `/sessions/${id}/resize`, { cols: 100, rows: 30 });
    expect(resized).toMatchObject({ status: 200, body: { cols: 100, rows: 30 } });
    const { data, cols, rows } = await api.snapshot(id, 'ansi');
    expect({ cols, rows }).toEqual({ cols: 100, rows: 30 });
    expect(await shown(data, { cols, rows })).toMatch(
      /^12345678901234567890123456789012345678901234567890$/m,
    );
    await api.run(id, 'stty size', '30 100');
    expect(await api.session(id)).toMatchObject({ cols: 100, rows: 30 });
  });

  it('[R6] [M5] last activity is tracked', async () => {
    const { id } = await api.create();
    const { createdAt, lastActivityAt: before } = await api.session(id);
    await api.run(id, 'echo busy-$((1+1))', 'busy-2');
    const { lastActivityAt: after, bufferBytes } = await api.session(id);
    expect(Date.parse(after)).toBeGreaterThan(Date.parse(before));
    expect(Date.parse(before)).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(bufferBytes).toBeGreaterThan(0);
  });
});
