/** What messages are made of: the values that several of them carry. */
import * as v from 'valibot';
import {
  ABILITIES_MAX,
  ABILITY_MAX_CHARS,
  ARG_MAX_CHARS,
  LAYOUT_MAX_SPLITS,
  LAYOUT_MAX_TABS,
  NAME_MAX_CHARS,
  PATH_MAX_CHARS,
  READ_MARK_MAX_CHARS,
  SENTENCE_MAX_CHARS,
  SIGNAL_MAX_CHARS,
  SIZE_MAX_CELLS,
  SPLIT_MAX_DEPTH,
  SPLIT_MAX_PANES,
  SPLIT_MAX_PERCENT,
  SPLIT_MIN_PERCENT,
  TROUBLE_MAX_CHARS,
  WIDTHS_MAX_CHARS,
} from '../limits.ts';

export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const handle = v.pipe(count, v.maxValue(0xffff_ffff));
export const channel = v.pipe(handle, v.minValue(1));
export const cells = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(SIZE_MAX_CELLS));
export const id = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'not an id'));
export const name = v.pipe(v.string(), v.maxLength(NAME_MAX_CHARS));
export const path = v.pipe(v.string(), v.minLength(1), v.maxLength(PATH_MAX_CHARS));
/** An argument of a program, or part of its environment. The agent's own limits for an environment are lower. */
export const argument = v.pipe(v.string(), v.maxLength(ARG_MAX_CHARS));
export const time = v.pipe(v.string(), v.isoTimestamp());
export const signal = v.pipe(v.string(), v.maxLength(SIGNAL_MAX_CHARS));
/** Text for people. Overlong text is cut and not refused, because an honest agent of an earlier build may send it. */
export const sentence = cut(SENTENCE_MAX_CHARS);
/** Why the agent was started with less than was kept for it. */
export const trouble = cut(TROUBLE_MAX_CHARS);
export const readMark = v.pipe(v.string(), v.minLength(1), v.maxLength(READ_MARK_MAX_CHARS));
/** What an agent can do; unknown names are kept, a newer agent may have more. */
export const abilities = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(ABILITY_MAX_CHARS))),
  v.maxLength(ABILITIES_MAX),
);
export const request = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
/** The version of the model that measures a session's text. */
export const widths = v.pipe(v.string(), v.minLength(1), v.maxLength(WIDTHS_MAX_CHARS));

const colour = v.pipe(v.string(), v.regex(/^#[0-9a-fA-F]{6}$/, 'not a colour'));
/** The colours of a client's window. Omitted colours are unknown. */
export const theme = v.object({
  foreground: v.optional(colour),
  background: v.optional(colour),
  cursor: v.optional(colour),
  /** The 16 palette colours that themes choose, black to bright white. */
  ansi: v.optional(v.pipe(v.array(colour), v.length(16))),
});
/** Colours as `#rrggbb`. */
export type Theme = v.InferOutput<typeof theme>;

export const snapshotFormat = v.picklist(['ansi', 'text', 'html']);
/** `ansi` is output for a fresh terminal, `text` what a person would copy, `html` what a page can show. */
export type SnapshotFormat = v.InferOutput<typeof snapshotFormat>;

/** Terminals side by side: one, or an area that is divided in two. */
export type LayoutPanes =
  | { readonly session: string }
  | {
      readonly direction: 'row' | 'column';
      readonly percent: number;
      readonly first: LayoutPanes;
      readonly second: LayoutPanes;
    };

const percent = v.pipe(v.number(), v.integer(), v.minValue(SPLIT_MIN_PERCENT), v.maxValue(SPLIT_MAX_PERCENT));

/** As many levels as there may be, so that no message is checked deeper. */
function panesWithin(depth: number): v.GenericSchema<LayoutPanes> {
  const pane = v.object({ session: id });
  if (depth === 0) return pane;
  const part = panesWithin(depth - 1);
  const direction = v.picklist(['row', 'column']);
  return v.union([pane, v.object({ direction, percent, first: part, second: part })]);
}

function countPanes(panes: LayoutPanes): number {
  return 'session' in panes ? 1 : countPanes(panes.first) + countPanes(panes.second);
}

const layoutSplit = v.object({
  panes: v.pipe(
    panesWithin(SPLIT_MAX_DEPTH),
    v.check((panes) => countPanes(panes) <= SPLIT_MAX_PANES, 'too many panes'),
  ),
  /** The session that has, or had last, the keyboard. */
  active: id,
  /** Whether it has all of the room for the moment. */
  zoomed: v.optional(v.boolean()),
});

/** The tabs of a page, for a browser without tabs of its own. Names are kept for sessions that are gone. */
export const layoutSchema = v.object({
  tabs: v.pipe(v.array(v.object({ session: id, name })), v.maxLength(LAYOUT_MAX_TABS)),
  active: v.nullable(id),
  /**
   * Terminals that share a tab; each is one of `tabs`. Absent from a page that knows no splits, to which they are tabs
   * like others. [RL34]
   */
  splits: v.optional(v.pipe(v.array(layoutSplit), v.maxLength(LAYOUT_MAX_SPLITS))),
});
export type Layout = v.InferOutput<typeof layoutSchema>;

export function cut(maxChars: number) {
  return v.pipe(
    v.string(),
    v.transform((text) => text.slice(0, maxChars)),
  );
}
