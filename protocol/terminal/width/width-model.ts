/**
 * How many columns text takes, for xterm in the page and in the agent. Both must agree with each other and with the
 * programs that print, or tables break and an edited line shows what is not there.
 *
 * Text is measured by grapheme clusters, as UAX #29 defines them: emoji with skin tones or joiners, flags, keycaps,
 * letters with marks and Indic conjuncts take the columns of one character. The widths are those of the npm package
 * string-width, which most programs of this kind use or agree with. A cell has at most two columns, so a mark that
 * would make a cluster wider begins a cell of its own.
 *
 * xterm asks for each code point and hands back what it was told for the one before. The answer is xterm's packed value:
 * bit 0 says that the character joins the cell before it, bits 1 and 2 are the columns of the cell so far, and the rest
 * is ours: the class of the character, and the flags below.
 */
import { addedColumnsOf, CLASS, CLASS_NAMES, columnsOf, isMark, isPicture } from './character-class.ts';
import { classAt } from './width-classes.ts';
import { UNICODE_VERSION } from './width-table.ts';

/** xterm's interface for a version of Unicode. */
export interface WidthModel {
  readonly version: string;
  wcwidth(codePoint: number): 0 | 1 | 2;
  charProperties(codePoint: number, preceding: number): number;
}

const CLASS_BITS = 5;
const CLASS_MASK = (1 << CLASS_BITS) - 1;
let bit = 1 << CLASS_BITS;
const flag = () => {
  const one = bit;
  bit <<= 1;
  return one;
};

/** The cluster is a picture with marks: a joiner and another picture may follow. */
const PICTURE = flag();
/** The same, and the joiner was the last character. */
const JOINED_PICTURE = flag();
/** The cluster ends in an Indic consonant with marks. */
const CONSONANT = flag();
/** The same, and a linker is among the marks. */
const LINKED = flag();
/** The first letter of a flag. */
const HALF_FLAG = flag();
/** No mark has followed the first character yet. */
const BARE = flag();
/** A keycap base with a selector and nothing else. */
const SELECTED_KEYCAP = flag();
/** Nothing visible so far. */
const HIDDEN = flag();
/** Nothing joins the last character. */
const CLOSED = flag();
/** A vowel that belongs to a leading consonant. */
const SYLLABLE = flag();
/** A mark that joins whatever follows it. The last flag, so that one comparison finds it. */
const PREPENDED = flag();

const columns = Uint8Array.from(CLASS_NAMES, columnsOf);
const added = Uint8Array.from(CLASS_NAMES, addedColumnsOf);
const marks = Uint8Array.from(CLASS_NAMES, (name) => Number(isMark(name)));
const pictures = Uint8Array.from(CLASS_NAMES, (name) => Number(isPicture(name)));

const pack = (state: number, width: number, joins: boolean): number =>
  (state << 3) | (width << 1) | Number(joins);

/** What a character of each class is when it begins a cell. */
const beginnings = Int32Array.from(CLASS_NAMES, (name) => {
  const number = CLASS[name];
  let state = number | BARE;
  if (isPicture(name)) state |= PICTURE;
  if (name === 'consonant') state |= CONSONANT;
  if (name === 'flag') state |= HALF_FLAG;
  if (name === 'prepend') state |= PREPENDED;
  return pack(state, columnsOf(name), false);
});

/** Whether a character joins nothing, unless that begins with a prepended mark, and is joined by marks only. */
export const isPlain = (codePoint: number): boolean => classAt(codePoint) <= CLASS.keycapBase;

const PLANE = 0x10000;

/** What plain characters of the first plane are: nearly all that is ever printed. 0 for others. */
const plain = new Uint16Array(PLANE);
// Counted by a loop: `from` with a function takes ten times as long, at every start.
for (let codePoint = 0; codePoint < PLANE; codePoint++)
  if (isPlain(codePoint)) plain[codePoint] = beginnings[classAt(codePoint)] ?? 0;

const FIRST_DIGIT = 0x30;
const LAST_DIGIT = 0x39;
const ASCII_END = 0x7f;
const DIGIT = beginnings[CLASS.keycapBase] as number;
const NARROW = beginnings[CLASS.narrow] as number;

/** What precedes is a mark that joins even a plain character. */
const FIRST_PREPENDED = PREPENDED << 3;

export const CLUSTERS: WidthModel = {
  version: `${UNICODE_VERSION}-clusters`,
  wcwidth: (codePoint) => (columns[classAt(codePoint)] ?? 1) as 0 | 1 | 2,
  // Short, so that it is inlined into xterm's loop over characters.
  charProperties(codePoint, preceding) {
    if (preceding < FIRST_PREPENDED) {
      if (codePoint < ASCII_END && codePoint >= FIRST_DIGIT) return codePoint > LAST_DIGIT ? NARROW : DIGIT;
      if (codePoint < PLANE) {
        const known = plain[codePoint] as number;
        if (known !== 0) return known;
      }
    }
    return clustered(codePoint, preceding);
  },
};

function clustered(codePoint: number, preceding: number): number {
  const state = preceding >> 3;
  const number = classAt(codePoint);
  const width = (preceding >> 1) & 3;
  if (preceding === 0 || (state & CLOSED) !== 0) return begin(number, preceding === 0 ? 0 : width);
  if (number === CLASS.invisible) return pack(number | CLOSED, width, true);
  if (marks[number] === 1) return mark(number, state, width);
  return letter(number, state, width);
}

/** A character that takes no column stays with the cell before it, of `before` columns. */
function begin(number: number, before: number): number {
  if (columns[number] !== 0) return beginnings[number] ?? 0;
  const state = number | HIDDEN | (number === CLASS.invisible ? CLOSED : 0);
  return pack(state, before, true);
}

function mark(number: number, state: number, before: number): number {
  // The mark before it joined a cell that is not known here, so a mark with columns begins one.
  if ((state & HIDDEN) !== 0 && columns[number] !== 0) return beginnings[number] ?? 0;
  const width = isWidened(number, state) ? 2 : before + (added[number] ?? 0);
  return width > 2 ? (beginnings[number] ?? 0) : pack(afterMark(number, state), width, true);
}

/** Marks that make a narrow symbol an emoji. */
function isWidened(number: number, state: number): boolean {
  const last = state & CLASS_MASK;
  const isBare = (state & BARE) !== 0;
  const isToned = last === CLASS.pictureTonedNarrow || last === CLASS.pictureTonedWide;
  switch (number) {
    case CLASS.emojiSelector:
      return isBare && (last === CLASS.pictureText || last === CLASS.pictureTonedNarrow);
    case CLASS.keycap:
      return (isBare && last === CLASS.keycapBase) || (state & SELECTED_KEYCAP) !== 0;
    case CLASS.modifier:
      return isBare && isToned;
    default:
      return false;
  }
}

function afterMark(number: number, state: number): number {
  const isSpacing = number >= CLASS.spacingLinker && number <= CLASS.spacingTwo;
  let kept = state & (HIDDEN | CONSONANT | LINKED | (isSpacing ? 0 : PICTURE));
  if (number === CLASS.joiner && (state & PICTURE) !== 0) kept |= JOINED_PICTURE;
  if (number === CLASS.linker || number === CLASS.spacingLinker) {
    if ((state & CONSONANT) !== 0) kept |= LINKED;
  } else if (isSpacing) kept &= ~(CONSONANT | LINKED);
  const isSelected = number === CLASS.emojiSelector && (state & BARE) !== 0;
  if (isSelected && (state & CLASS_MASK) === CLASS.keycapBase) kept |= SELECTED_KEYCAP;
  return number | kept;
}

/** A character that is no mark: it begins a cell, unless a rule joins it to the one before. */
function letter(number: number, state: number, before: number): number {
  if ((state & JOINED_PICTURE) !== 0 && pictures[number] === 1) return pack(number | PICTURE, 2, true);
  if (number === CLASS.flag && (state & HALF_FLAG) !== 0) return pack(number, 2, true);
  if (number === CLASS.consonant && (state & LINKED) !== 0) return pack(number | CONSONANT, before, true);
  if ((state & PREPENDED) !== 0) return pack(number, before, true);
  if (joinsSyllable(number, state)) {
    const isVowel = number === CLASS.hangulV || number === CLASS.hangulFillerV;
    return pack(number | (isVowel ? SYLLABLE : 0), before, true);
  }
  return begin(number, before);
}

function joinsSyllable(number: number, state: number): boolean {
  const last = state & CLASS_MASK;
  const isVowel = number === CLASS.hangulV || number === CLASS.hangulFillerV;
  if (last === CLASS.hangulL || last === CLASS.hangulFillerL) return isVowel;
  if (last === CLASS.hangulLV) return isVowel || number === CLASS.hangulT;
  const isTrailing = number === CLASS.hangulT;
  return isTrailing && (last === CLASS.hangulLVT || (state & SYLLABLE) !== 0);
}

/**
 * Marks and joiners take no column and join the character before them; everything else takes its own columns. This is
 * what programs assume that know no clusters, such as those that ask the C library.
 */
export const CODE_POINTS: WidthModel = {
  version: UNICODE_VERSION,
  wcwidth: CLUSTERS.wcwidth,
  charProperties(codePoint, preceding) {
    const number = classAt(codePoint);
    const state = preceding >> 3;
    const before = (preceding >> 1) & 3;
    if (joinsSyllable(number, state)) {
      const isVowel = number === CLASS.hangulV || number === CLASS.hangulFillerV;
      return pack(number | (isVowel ? SYLLABLE : 0), before, true);
    }
    const width = columns[number] ?? 1;
    return width === 0 ? pack(state | HIDDEN, before, true) : pack(number, width, false);
  },
};

/** The columns of a text that begins in an empty cell. */
export function columnsOfText(text: string, { charProperties }: WidthModel = CLUSTERS): number {
  let total = 0;
  let preceding = 0;
  for (const character of text) {
    const next = charProperties(character.codePointAt(0) ?? 0, preceding);
    const isJoined = (next & 1) !== 0;
    total += ((next >> 1) & 3) - (isJoined ? (preceding >> 1) & 3 : 0);
    preceding = next;
  }
  return total;
}
