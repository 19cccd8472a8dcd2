/**
 * The classes of characters that decide how wide text is. `test/write-width-table.ts` assigns one to every code point
 * from the Unicode data; width-table.ts has the result. A class says how a character joins the one before it (the rules
 * of UAX #29 for grapheme clusters) and how many columns it takes.
 */

/** The order is part of the table: add new classes at the end. */
export const CLASS_NAMES = [
  'narrow',
  'wide',
  /** A digit, # or *, which U+20E3 turns into a keycap. */
  'keycapBase',
  /** Takes no column and joins nothing. */
  'invisible',
  /** A mark that takes no column of its own. */
  'extend',
  /** U+200D, which joins two emoji. */
  'joiner',
  /** U+FE0F, which makes an emoji of a symbol. */
  'emojiSelector',
  /** U+20E3 */
  'keycap',
  /** A skin tone. */
  'modifier',
  /** Joins two Indic consonants. */
  'linker',
  'spacingLinker',
  /** Marks that join the character before them, and add columns to it. */
  'spacingNone',
  'spacingOne',
  'spacingTwo',
  /** Joins the character after it. Those without a column are `invisible`: nothing can join them. */
  'prepend',
  /** An Indic consonant. */
  'consonant',
  /** A letter of a flag. */
  'flag',
  /** Emoji and other pictographs: shown as text unless selected, and those that take a skin tone. */
  'pictureNarrow',
  'pictureWide',
  'pictureText',
  'pictureTonedNarrow',
  'pictureTonedWide',
  /** Parts of Hangul syllables: leading consonants, vowels, trailing consonants, and syllables without and with one. */
  'hangulL',
  'hangulFillerL',
  'hangulV',
  'hangulFillerV',
  'hangulT',
  'hangulLV',
  'hangulLVT',
] as const;

export type ClassName = (typeof CLASS_NAMES)[number];

/** The number of each class in the table. */
export const CLASS = Object.fromEntries(CLASS_NAMES.map((name, number) => [name, number])) as Readonly<
  Record<ClassName, number>
>;

/** Columns of a character by itself. */
const COLUMNS: Readonly<Partial<Record<ClassName, number>>> = {
  wide: 2,
  invisible: 0,
  extend: 0,
  joiner: 0,
  emojiSelector: 0,
  keycap: 0,
  modifier: 2,
  linker: 0,
  spacingTwo: 2,
  pictureWide: 2,
  pictureTonedWide: 2,
  hangulL: 2,
  hangulFillerL: 0,
  hangulFillerV: 0,
  hangulLV: 2,
  hangulLVT: 2,
};

export const columnsOf = (name: ClassName): number => COLUMNS[name] ?? 1;

const WIDENING: Readonly<Partial<Record<ClassName, number>>> = {
  spacingOne: 1,
  spacingLinker: 1,
  spacingTwo: 2,
};

/** Columns that a mark adds to the character it joins. */
export const addedColumnsOf = (name: ClassName): number => WIDENING[name] ?? 0;

/** Classes that join whatever visible character is before them. */
export const isMark = (name: ClassName): boolean =>
  CLASS[name] >= CLASS.extend && CLASS[name] <= CLASS.spacingTwo;

export const isPicture = (name: ClassName): boolean => name.startsWith('picture');
