/** The documents about the protocol match the code: codes, messages and limits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLOSE, redialAfter } from '../../protocol/close-codes.ts';
import { ERROR_CODES } from '../../protocol/errors.ts';
import * as limits from '../../protocol/limits.ts';
import { CAPACITY, CONTROL_COST, REFILL_PER_S } from '../../worker/metering/bucket.ts';
import { ROOT } from './imports.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const wire = read('protocol/README.md');
const api = read('docs/api.md');
const relay = read('docs/relay.md');

const quotedIn = (text: string) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);

/** The codes of refusals over HTTP, wherever the Worker makes one. */
function httpCodes(): string[] {
  const files = readdirSync(join(ROOT, 'worker'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts')).map((file) => read(`worker/${file}`));
  const made = /(?:failure\(c, \d{3}|new ApiError\(\s*\d{3}), '([a-z_]+)'/g;
  return [...new Set(sources.flatMap((source) => [...source.matchAll(made)].map(([, code = '']) => code)))];
}

describe('protocol/README.md', () => {
  it('[WF9] lists each close code, and whether to dial again', () => {
    const rows = [...wire.matchAll(/^\| (\d{4}(?:, \d{4})*)(?:, others)? \| [^|]+ \| ([^|]+) \|$/gm)];
    const said = rows.flatMap(([, codes = '', redial = '']) =>
      codes.split(', ').map((code) => [Number(code), redial]),
    );
    const WORDS = { yes: 'yes', no: 'no', renewed: 'with another credential' };
    const meant = Object.values(CLOSE).map((code) => [code, WORDS[redialAfter(code)]]);
    expect(said.sort()).toEqual(meant.sort());
  });

  it('lists each error code, and no other', () => {
    const [, list = ''] = /^Error codes: ([\s\S]*?)\.\n/m.exec(wire) ?? [];
    expect(quotedIn(list)).toEqual([...ERROR_CODES]);
  });

  it('lists each message in its tables', () => {
    const declarations = ['client', 'server', 'agent'].map((sender) =>
      read(`protocol/messages/${sender}-message.ts`),
    );
    const declared = declarations.flatMap((text) => [...text.matchAll(/type: v\.literal\('(\w+)'\)/g)]);
    const firstCells = [...wire.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) => quotedIn(cell));
    const missing = declared.map(([, type = '']) => type).filter((type) => !firstCells.includes(type));
    expect(declared.length).toBeGreaterThan(30);
    expect(missing).toEqual([]);
  });
});

describe('docs/api.md', () => {
  it('lists each error code of the HTTP API', () => {
    const codes = httpCodes();
    expect(codes).toContain('method_not_allowed');
    expect(codes.filter((code) => !quotedIn(api).includes(code))).toEqual([]);
  });
});

describe('docs/relay.md', () => {
  const kib = (bytes: number) => `${bytes / 1024} KiB`;
  const mib = (bytes: number) => kib(bytes / 1024).replace('KiB', 'MiB');
  it.each([
    ['payload of a data frame', kib(limits.PAYLOAD_MAX_BYTES)],
    [
      'control message of a client, of an agent',
      `${kib(limits.CLIENT_CONTROL_MAX_BYTES)}, ${kib(limits.AGENT_CONTROL_MAX_BYTES)}`,
    ],
    [
      'what a client sends',
      `a bucket of ${CAPACITY}, refilled with ${REFILL_PER_S}/s; a frame is 1 and 1 per 4 KiB, a control message ${CONTROL_COST}`,
    ],
    [
      'what connections of one token send',
      `${limits.TOKEN_SENDS_PER_S.operator}/s of an operator, ${limits.TOKEN_SENDS_PER_S.viewer}/s of a viewer, in the units of a turn, and as much at once`,
    ],
    ['clients of a workspace', `${limits.CLIENTS_MAX}`],
    ['viewers of a workspace', `${limits.VIEWERS_MAX}`],
    [
      'connections of one token',
      `${limits.TOKEN_CLIENTS_MAX.operator} of an operator, ${limits.TOKEN_CLIENTS_MAX.viewer} of a viewer`,
    ],
    [
      'text sent to one client',
      `${mib(limits.TOLD_BURST_MAX_BYTES)} at once, then ${kib(limits.TOLD_PER_S_MAX_BYTES)}/s; ${mib(limits.TOLD_MAX_BYTES)} in all`,
    ],
    [
      'turn of a workspace',
      `${limits.TURN_COST} at once, then ${limits.TURN_COST_PER_S}/s; a message is 1 and 1 per KiB, a frame 1 and 1 per 64 KiB`,
    ],
    ['rows an agent has written', `${limits.ROWS_BURST_MAX} at once, then ${limits.ROWS_PER_S_MAX}/s`],
    ['description of a session', kib(limits.SESSION_INFO_MAX_BYTES)],
    ['sessions a client is subscribed to', `${limits.CLIENT_HANDLES_MAX}`],
    [
      'snapshot, deflated and inflated',
      `${mib(limits.SNAPSHOT_MAX_BYTES)}, ${mib(limits.SNAPSHOT_INFLATED_MAX_BYTES)}`,
    ],
    [
      'HTTP answers held by an isolate, by a workspace',
      `${mib(limits.ANSWERS_HELD_MAX_BYTES)}, ${mib(limits.WORKSPACE_ANSWERS_HELD_MAX_BYTES)}`,
    ],
    [
      'search of a `wait`',
      `${limits.PATTERN_STATES_MAX} states; ${limits.SEARCH_STEPS_PER_S / 1e6} million steps/s of all searches; ${limits.SEARCH_STEPS_MAX / 1e6} million in all`,
    ],
    ['sessions of a workspace', `${limits.SESSIONS_MAX}`],
    ['page of a list', kib(limits.LIST_PAGE_MAX_BYTES)],
    ['tabs of a layout', `${limits.LAYOUT_MAX_TABS}`],
    [
      'tabs of a layout that are split; panes of one; how often divided',
      `${limits.LAYOUT_MAX_SPLITS}; ${limits.SPLIT_MAX_PANES}; ${limits.SPLIT_MAX_DEPTH}`,
    ],
    [
      'agents that were challenged and have proven nothing',
      `${limits.PENDING_AGENTS_MAX}, each for ${limits.PROVE_WITHIN_MS / 1000} s`,
    ],
    ['tokens revoked by name', limits.REVOCATIONS_MAX.toLocaleString('en').replace(',', ' ')],
  ])('documents the %s: %s', (what, limit) => {
    expect(relay).toContain(`| ${what} | ${limit} |`);
  });
});
