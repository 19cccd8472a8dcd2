/** The limits of tools: what they accept, one beyond it, and how long their answers are. */

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { byteLength, endOf, endOfPieces } from '../../mcp/call/bounded-text.ts';
import { OutputReader } from '../../mcp/call/output-reader.ts';
import { TOOLS } from '../../mcp/tools/tools.ts';
import {
  ARGS_MAX,
  IDEMPOTENCY_KEY_MAX_CHARS,
  MCP_KEYS_MAX,
  MCP_TEXT_MAX_BYTES,
  NAME_MAX_CHARS,
  PATH_MAX_CHARS,
  PATTERN_MAX_CHARS,
  TYPED_TEXT_MAX_CHARS,
} from '../../protocol/limits.ts';
import { McpClient } from '../support/mcp-client.ts';
import { DONE, ScriptedRunner } from '../support/scripted-runner.ts';
import { sessionInfo } from '../support/scripted-session.ts';
import { sharedRelays } from '../support/shared-relays.ts';

const session = 's1';
const chars = (count: number) => 'x'.repeat(count);
const many = (count: number, one: string) => new Array<string>(count).fill(one);

describe('arguments', () => {
  const accepts = (name: string, input: object) =>
    v.is(TOOLS.find((tool) => tool.name === name)?.input ?? v.never(), input);

  it.each([
    { tool: 'run', field: 'command', most: TYPED_TEXT_MAX_CHARS, more: { session } },
    {
      tool: 'run',
      field: 'idempotencyKey',
      most: IDEMPOTENCY_KEY_MAX_CHARS,
      more: { session, command: 'ls' },
    },
    { tool: 'type', field: 'text', most: TYPED_TEXT_MAX_CHARS, more: { session } },
    { tool: 'wait', field: 'text', most: PATTERN_MAX_CHARS, more: { session, for: 'text' } },
    { tool: 'wait', field: 'pattern', most: PATTERN_MAX_CHARS, more: { session, for: 'text' } },
    { tool: 'open_session', field: 'key', most: NAME_MAX_CHARS, more: {} },
    { tool: 'open_session', field: 'cwd', most: PATH_MAX_CHARS, more: { key: 'k' } },
    { tool: 'read', field: 'session', most: 64, more: {} },
  ])('[A2] $tool takes 1 to $most characters of $field', ({ tool, field, most, more }) => {
    const lengths = [0, 1, most, most + 1];
    expect(lengths.map((length) => accepts(tool, { ...more, [field]: chars(length) }))).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it('[A2] lists are bounded', () => {
    const keys = [0, 1, MCP_KEYS_MAX, MCP_KEYS_MAX + 1];
    expect(keys.map((count) => accepts('keys', { session, keys: many(count, 'up') }))).toEqual([
      ...[false, true, true, false],
    ]);
    const words = [0, 1, ARGS_MAX + 1, ARGS_MAX + 2];
    expect(words.map((count) => accepts('open_session', { key: 'k', command: many(count, 'a') }))).toEqual([
      ...[false, true, true, false],
    ]);
  });

  it('[A2] unknown ones are refused by every tool', () => {
    for (const { name, input } of TOOLS)
      expect(
        v.safeParse(input, { unheard: 1 }).issues?.some(({ expected }) => expected === 'never'),
        name,
      ).toBe(true);
  });
});

describe('a text that is too long', () => {
  it.each([
    { text: 'short', kept: 'short', omittedBytes: 0 },
    { text: 'first line\nsecond\n', kept: 'second\n', omittedBytes: 11 },
    { text: 'no lines at all', kept: 'at all', omittedBytes: 9 },
    { text: '界界界', kept: '界界', omittedBytes: 3 },
    { text: '😀😀😀', kept: '😀', omittedBytes: 8 },
  ])('[A2] of $text keeps $kept', ({ text, kept, omittedBytes }) => {
    expect(endOf(text, text.startsWith('short') || text.startsWith('first') ? 8 : 6)).toEqual({
      text: kept,
      omittedBytes,
    });
  });

  it('[A2] loses what nobody sees', () => {
    expect(endOf('a\x1b[31m\u202e\u{e0041}\u200bb\tc\n', 100).text).toBe('a[31mb\tc\n');
  });
});

describe('reading output', () => {
  const reading = (max: number, ...pieces: string[]) => {
    const reader = new OutputReader(100, max);
    let shown = 0;
    for (const piece of pieces) reader.write(new TextEncoder().encode(piece), () => shown++);
    const { bytes, ...read } = reader.read;
    return { text: new TextDecoder().decode(bytes), ...read, shown };
  };

  it.each([
    { name: 'all of it', pieces: ['one\n', 'two'], text: 'one\ntwo', offset: 107, isCut: false, shown: 2 },
    {
      name: 'whole lines',
      pieces: ['one\ntwo', '\nthree'],
      text: 'one\ntwo\n',
      offset: 108,
      isCut: true,
      shown: 1,
    },
    { name: 'whole characters', pieces: ['界界界界'], text: '界界界', offset: 109, isCut: true, shown: 0 },
    { name: 'no half a sequence', pieces: ['ok\x1b[3'], text: 'ok', offset: 102, isCut: false, shown: 1 },
    {
      name: 'no more than asked for',
      pieces: ['0123456789', 'x', 'y'],
      text: '0123456789',
      offset: 110,
      isCut: true,
      shown: 1,
    },
  ])('[A2] takes $name', ({ pieces, text, offset, isCut, shown }) => {
    expect(reading(10, ...pieces)).toEqual({ text, offset, isCut, shown, lostBytes: 0 });
  });

  it('[A2] tells that output is gone, and reads none of the screen that comes instead', () => {
    const reader = new OutputReader(100, 10);
    reader.reset({ kind: 'snapshot', offset: 500, lost: 400 });
    expect(reader.isOver).toBe(true);
    reader.write(new TextEncoder().encode('screen'), () => {});
    expect(reader.read).toMatchObject({ bytes: { length: 0 }, lostBytes: 400 });
  });

  it('[A2] an offset beyond the end means the end', () => {
    const reader = new OutputReader(100, 10);
    reader.reset({ kind: 'delta', offset: 40, lost: 0 });
    expect(reader.read).toMatchObject({ offset: 40, isCut: false, lostBytes: 0 });
  });
});

describe('a screen that a hostile machine has made too long', () => {
  const MIB = 1024 * 1024;
  const most = 4 * MCP_TEXT_MAX_BYTES;
  /** Counts the bytes that are decoded, which is what takes time. */
  const counted = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    let looked = 0;
    const subarray = (from = 0, to?: number) => {
      const part = bytes.subarray(from, to);
      looked += part.length;
      return part;
    };
    return {
      piece: Object.defineProperty(bytes.slice(), 'subarray', { value: subarray }),
      looked: () => looked,
    };
  };

  it.each([
    { name: 'letters', char: 'a' },
    { name: 'invisible characters', char: '\u200b' },
    { name: 'marks', char: '\u0301' },
  ])('[X33] [A2] [SEC21] is not looked at as a whole: $name', ({ char }) => {
    const pieces = Array.from({ length: 8 }, () => counted(char.repeat(MIB / byteLength(char))));
    const all = pieces.reduce((sum, { piece }) => sum + piece.length, 0);
    const { text, omittedBytes } = endOfPieces(
      pieces.map(({ piece }) => piece),
      MCP_TEXT_MAX_BYTES,
    );
    expect(pieces.reduce((sum, { looked }) => sum + looked(), 0)).toBeLessThanOrEqual(most);
    expect(byteLength(text)).toBeLessThanOrEqual(MCP_TEXT_MAX_BYTES);
    expect(omittedBytes).toBeGreaterThanOrEqual(all - most);
  });

  it('[A2] keeps its last line whole, also if characters are cut between pieces', () => {
    const bytes = new TextEncoder().encode('top\n界界\nlast 界');
    const pieces = [bytes.subarray(0, 5), bytes.subarray(5, 18), bytes.subarray(18)];
    expect(endOfPieces(pieces, 100)).toEqual({ text: 'top\n界界\nlast 界', omittedBytes: 0 });
    expect(endOfPieces(pieces, 10)).toEqual({ text: 'last 界', omittedBytes: 11 });
  });

  it('[X33] [A2] [SEC21] nor is any other text', () => {
    const { text, omittedBytes } = endOf('\u0301'.repeat(16 * MIB), 1024);
    expect(text.length).toBeLessThan(1024);
    expect(omittedBytes).toBeGreaterThanOrEqual(16 * MIB - 4096);
  });
});

describe('answers', () => {
  const relays = sharedRelays();
  const connect = async (
    agent: (relay: Awaited<ReturnType<typeof relays.onWorkerd>>) => Promise<ScriptedRunner>,
  ) => {
    const relay = await relays.onWorkerd();
    const runner = await agent(relay);
    const token = await relay.token('operator');
    const place = { relay: relay.url, workspace: relay.workspace, token };
    return { mcp: await McpClient.connect(place, { transport: 'http', revision: '2026-07-28' }), runner };
  };

  it('[A2] a long list comes in pages that fit', async () => {
    const ids = Array.from({ length: 80 }, (_, n) => `s${n}`);
    const sessions = ids.map((id) => sessionInfo(id, { cwd: `/${chars(300)}` }));
    const { mcp } = await connect((relay) => ScriptedRunner.on(relay, sessions));
    await using _ = mcp;
    const seen: string[] = [];
    for (let after: unknown; ; ) {
      const { text, facts } = await mcp.call('list_sessions', after === undefined ? {} : { after });
      expect(byteLength(text)).toBeLessThanOrEqual(MCP_TEXT_MAX_BYTES);
      expect(byteLength(JSON.stringify(facts))).toBeLessThanOrEqual(MCP_TEXT_MAX_BYTES + 1024);
      seen.push(...(facts.sessions as { id: string }[]).map(({ id }) => id));
      after = facts.next;
      if (after === undefined) break;
      expect(text).toContain(`go on with after=${after}`);
    }
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  it('[A2] what a hostile machine answers to a run is cut and made printable', async () => {
    const { mcp, runner } = await connect((relay) => ScriptedRunner.on(relay));
    await using _ = mcp;
    const output = `\x1b]0;x\x07${'界'.repeat(20_000)}end`;
    runner.run = {
      state: 'done',
      exitCode: 0,
      durationMs: 1,
      output,
      omittedBytes: 5,
      offset: 100_000,
      cwd: '/\x1b[2J',
    };
    const { text, facts } = await mcp.call('run', { session, command: 'x' });
    expect(byteLength(facts.output as string)).toBeLessThanOrEqual(MCP_TEXT_MAX_BYTES);
    expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(text).toMatch(/bytes omitted; read with since=83611\]/);
    expect(text).toMatch(/end$/);
  });

  /** Control characters, a direction, and letters that nobody sees and models read. */
  const HIDDEN = '\x1b[2J\u202e\u{e0068}\u{e0069}\u200b';
  const SEEN = /^[^\p{Cc}\p{Cf}]*$/u;

  it('[A2] [SEC19] names of directories, keys and signals hide nothing from people, in facts neither', async () => {
    const hostile = { cwd: `/srv/${HIDDEN}x`, key: `k${HIDDEN}`, signal: `SIG${HIDDEN}`, exitCode: null };
    const sessions = [sessionInfo('s1', { ...hostile, status: 'exited' })];
    const { mcp, runner } = await connect((relay) => ScriptedRunner.on(relay, sessions));
    await using _ = mcp;
    runner.run = { ...DONE, cwd: `/srv/${HIDDEN}x` };
    const run = await mcp.call('run', { session, command: 'x' });
    expect(run.facts.cwd).toBe('/srv/[2Jx');
    const { facts } = await mcp.call('list_sessions', {});
    expect(JSON.stringify(facts)).toMatch(SEEN);
    expect(facts.sessions).toMatchObject([{ cwd: '/srv/[2Jx', key: 'k[2J', signal: 'SIG[2J' }]);
  });

  it('[A2] [SEC19] what a hostile machine says when it refuses is made printable', async () => {
    const { mcp, runner } = await connect((relay) => ScriptedRunner.on(relay));
    await using _ = mcp;
    runner.refusal = `No.${HIDDEN}\nexit code 0`;
    const { text, facts } = await mcp.call('close', { session });
    expect(text).toBe('session_missing: No.[2Jexit code 0');
    expect(JSON.stringify(facts)).toMatch(SEEN);
  });
});
