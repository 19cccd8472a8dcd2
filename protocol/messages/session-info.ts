/** How a session is described: by its agent, in the registry, in lists and over HTTP; and how one ends. */
import * as v from 'valibot';
import { NAME_MAX_CHARS, PATH_MAX_CHARS, SESSIONS_MAX } from '../limits.ts';
import { attentionSchema } from './attention.ts';
import { keyboardHolderSchema } from './keyboard-holder.ts';
import { cells, count, cut, id, name, signal, time } from './message-parts.ts';
import { peopleSchema } from './people.ts';

/**
 * The rules that end a running session: nobody was attached for too long, nothing happened for too long, or room was
 * needed.
 */
const endReason = v.picklist(['orphan_expired', 'idle', 'evicted']);
export type EndReason = v.InferOutput<typeof endReason>;

/** How far a program's work is, as the program reports it (OSC 9;4). */
export const progress = v.object({
  /** `error`: the work has failed. `indeterminate`: it is not known how far it is. */
  state: v.picklist(['running', 'error', 'indeterminate', 'paused']),
  percent: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(100))),
});
export type SessionProgress = v.InferOutput<typeof progress>;

/** A session as its agent describes it. */
const toldSession = v.object({
  id,
  key: v.nullable(name),
  name,
  status: v.picklist(['running', 'exited', 'lost']),
  attached: count,
  orphanedSince: v.nullable(time),
  exitCode: v.nullable(v.number()),
  signal: v.nullable(signal),
  /** The rule that ended the session, added by the relay for a session that is gone; absent when none did. [RL15] */
  endedBy: v.optional(endReason),
  cols: cells,
  rows: cells,
  cwd: v.nullable(v.pipe(v.string(), v.maxLength(PATH_MAX_CHARS))),
  title: v.nullable(name),
  /**
   * The program in the foreground: the shell's name while it waits at its prompt, otherwise that of the program or
   * script.
   */
  foreground: v.optional(v.nullable(name), null),
  /** Absent when no program reports one. */
  progress: v.optional(progress),
  /** Absent unless an assistant has the keyboard, or waits for it. The registry does not keep it. */
  keyboard: v.optional(keyboardHolderSchema),
  /** Absent while the session wants none. */
  attention: v.optional(attentionSchema),
  createdAt: time,
  lastActivityAt: time,
  /** How long the session is kept without clients, if that differs from the agent's setting. [AG10] */
  graceMs: v.optional(count),
  bufferBytes: count,
  epoch: id,
});

/** The public description of a session. The HTTP API answers with the same object. */
export const sessionInfoSchema = v.object({
  ...toldSession.entries,
  /** Who typed last, and when. The relay adds both to lists; an agent cannot set them. [AU5] */
  typedBy: v.optional(name),
  typedAt: v.optional(time),
  /** Who watches it; absent if nobody does. The relay adds it. [PP1] */
  people: v.optional(peopleSchema),
});
export type SessionInfo = v.InferOutput<typeof sessionInfoSchema>;

/**
 * A session as the relay accepts it from an agent. Programs choose the title, the directory and their own name, and an
 * earlier agent forwards a directory of any length (OSC 7). So a long title is cut, and an impossibly long directory is
 * dropped: part of a path would be another directory.
 */
export const toldSessionSchema = v.object({
  ...toldSession.entries,
  cwd: v.nullable(
    v.pipe(
      v.string(),
      v.transform((path) => (path.length > PATH_MAX_CHARS ? null : path)),
    ),
  ),
  title: v.nullable(cut(NAME_MAX_CHARS)),
  foreground: v.optional(v.nullable(cut(NAME_MAX_CHARS)), null),
});
export const toldSessions = v.pipe(v.array(toldSessionSchema), v.maxLength(SESSIONS_MAX));

/** A session in the relay's lists: with who typed last. */
const { typedBy, typedAt, people } = sessionInfoSchema.entries;
const listedSession = v.object({ ...toldSessionSchema.entries, typedBy, typedAt, people });
export const listedSessions = v.pipe(v.array(listedSession), v.maxLength(SESSIONS_MAX));

/**
 * Splits a list into pages that each fit a message. An item that is too long by itself gets its own page. There is at
 * least one page, which may be empty.
 */
export function pagesOf<T>(items: readonly T[], bytesOf: (item: T) => number, maxBytes: number): T[][] {
  const pages: T[][] = [[]];
  let used = 0;
  for (const item of items) {
    const size = bytesOf(item) + 1; // plus a comma
    if (used > 0 && used + size > maxBytes) {
      pages.push([]);
      used = 0;
    }
    pages.at(-1)?.push(item);
    used += size;
  }
  return pages;
}

export const closeReasonSchema = v.picklist(['closed', 'exited_expired', ...endReason.options]);
/** Why a session is gone: somebody closed it, one of its times ran out, or it made room. */
export type CloseReason = v.InferOutput<typeof closeReasonSchema>;

/** The rule behind the reason; null when somebody closed the session, or it had ended by itself. */
export function endReasonOf(reason: CloseReason): EndReason | null {
  return reason === 'closed' || reason === 'exited_expired' ? null : reason;
}
