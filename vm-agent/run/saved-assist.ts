/** What one agent process leaves to the next about runs and texts that are typed. */
import * as v from 'valibot';
import {
  ACTOR_MAX_CHARS,
  MARK_NONCE_MAX_CHARS,
  RUNS_KEPT,
  TYPED_TEXT_MAX_CHARS,
} from '../../protocol/limits.ts';
import { count, id } from '../../protocol/messages/message-parts.ts';
import type { RunFacts } from './session-runs.ts';
import type { SavedTyping } from './text-typing.ts';

export interface SavedAssist extends SavedTyping {
  readonly runs: readonly RunFacts[];
}

/** A command is quoted, with four characters for each quote, and has marks around it. */
const TEXT_MAX_CHARS = 4 * TYPED_TEXT_MAX_CHARS + 512;

const by = v.pipe(v.string(), v.maxLength(ACTOR_MAX_CHARS));
const integer = v.pipe(v.number(), v.safeInteger());

const place = v.pipe(
  v.object({
    outputFrom: v.nullable(count),
    outputTo: v.nullable(count),
    endsAt: v.optional(count),
    exitCode: v.nullable(integer),
    number: v.nullable(count),
  }),
  v.check(
    ({ outputFrom, outputTo }) => outputTo === null || (outputFrom !== null && outputFrom <= outputTo),
    'it ends before it begins',
  ),
);

/** Read as strictly as a message: a value that no agent writes would end the agent while it starts, again and again. */
const savedSchema = v.object({
  runs: v.pipe(
    v.array(
      v.object({
        act: id,
        once: id,
        nonce: v.pipe(id, v.maxLength(MARK_NONCE_MAX_CHARS)),
        isMarked: v.boolean(),
        from: count,
        typedAt: integer,
        beganAt: v.nullable(integer),
        durationMs: v.nullable(count),
        place,
        takenBy: v.nullable(by),
      }),
    ),
    v.maxLength(RUNS_KEPT),
  ),
  typing: v.nullable(v.object({ act: id, text: v.pipe(v.string(), v.maxLength(TEXT_MAX_CHARS)) })),
  dropped: v.pipe(v.array(v.object({ act: id, by })), v.maxLength(RUNS_KEPT)),
});

export function encodeAssist(saved: SavedAssist): Buffer {
  return Buffer.from(JSON.stringify(saved));
}

/** Undefined if it is not what an agent writes. Never throws. */
export function decodeAssist(bytes: Buffer): SavedAssist | undefined {
  try {
    const result = v.safeParse(savedSchema, JSON.parse(bytes.toString()), { abortEarly: true });
    return result.success ? result.output : undefined;
  } catch {
    return undefined; // no JSON
  }
}
