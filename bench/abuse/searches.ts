/** Attacks by searches (`wait`): costly patterns, and screens and output that are costly to search. */
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import type { WebSocket } from 'ws';
import { encodeFrame } from '../../protocol/frame.ts';
import { PAYLOAD_MAX_BYTES } from '../../protocol/limits.ts';
import { sessionInfo } from '../../test/support/scripted-session.ts';
import type { Attack } from './attack.ts';
import { bearer, get, repeat, say, socket } from './attacker-tools.ts';
import { ATTACKED, type AttackerTarget, HOSTILE } from './scene.ts';

const MIB = 2 ** 20;
const PARALLEL = 16;

/** A short pattern that expands to as many positions, and ways between them, as one may have. */
const BRANCHED = '(.?){255}(^?){559}x';
/** A class of characters that tests each of them as often as a pattern can say so. */
const MANY_TESTS = `[${'\\w'.repeat(126)}]!`;
/** Thousands of different characters, so that what is known of one does not help with the next. */
const MANY_CHARACTERS = Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');

/** An agent whose only session shows this screen, whatever is asked for. */
async function showing(target: AttackerTarget, screen: Uint8Array): Promise<WebSocket> {
  const packed = deflateRawSync(screen);
  const agent = await socket(target, `/ws/agent/${HOSTILE}`, target.hostileAgent);
  say(agent, { type: 'hello', version: 1, epoch: 'e', sessions: [sessionInfo('s')], more: false });
  agent.on('message', (data: Buffer, isBinary: boolean) => {
    const told = isBinary ? {} : JSON.parse(data.toString());
    if (told.type !== 'from_client' || told.message.type !== 'take_snapshot') return;
    const { channel } = told;
    const { request, format } = told.message;
    const of = { type: 'snapshot_taken', request, session: 's', handle: 1, format, offset: 0 };
    const message = { ...of, cols: 80, rows: 24, bytes: packed.length };
    say(agent, { type: 'to_client', channel, message });
    for (let offset = 0; offset < packed.length; offset += PAYLOAD_MAX_BYTES)
      agent.send(
        encodeFrame(
          { kind: 'snapshot', channel, handle: 1, offset },
          packed.subarray(offset, offset + PAYLOAD_MAX_BYTES),
        ),
      );
  });
  return agent;
}

const waitFor = (workspace: string, session: string, pattern: string) =>
  `/api/workspaces/${workspace}/sessions/${session}/wait?for=text&timeout=20&pattern=${encodeURIComponent(pattern)}`;

async function searchesOf(target: AttackerTarget, screen: Uint8Array, pattern: string): Promise<void> {
  await showing(target, screen);
  // One at a time: more would wait for each other while they are inflated.
  await repeat(1, () => get(target, waitFor(HOSTILE, 's', pattern), target.hostileViewer));
}

export const SEARCHES: readonly Attack[] = [
  {
    id: 'W lines',
    what: 'an agent shows a screen of 31 million empty lines, and its viewers look for a text in it',
    run: (target) => searchesOf(target, new Uint8Array(31 * MIB).fill(10), 'never printed'),
  },
  {
    id: 'W controls',
    what: 'the same, with control characters that are no text',
    run: (target) => searchesOf(target, new Uint8Array(31 * MIB).fill(1), 'never printed'),
  },
  {
    id: 'W compile',
    what: 'a viewer waits for a pattern that is costly to compile, sixteen at a time',
    run: (target) =>
      repeat(PARALLEL, () => get(target, waitFor(ATTACKED, target.quiet, BRANCHED), target.viewer)),
  },
  {
    id: 'W characters',
    what: 'an agent shows thousands of different characters, and its viewers compare each with a long class',
    run: (target) => searchesOf(target, new TextEncoder().encode(MANY_CHARACTERS.repeat(500)), MANY_TESTS),
  },
  {
    id: 'W given up',
    what: 'a viewer waits for a text and gives up, again and again',
    run: (target) =>
      repeat(PARALLEL, async () => {
        const url = new URL(waitFor(ATTACKED, target.flood, 'never printed'), target.relay);
        const signal = AbortSignal.timeout(60);
        await (await fetch(url, { headers: bearer(target.viewer), signal })).arrayBuffer();
        await pause(1);
      }),
  },
];
