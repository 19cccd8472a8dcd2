/**
 * `npx node test/write-width-table.ts`: writes protocol/terminal/width/width-table.ts from the Unicode data of npm packages:
 * the class of every code point (character-class.ts) as run lengths.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eastAsianWidth } from 'get-east-asian-width';
import { CLASS, type ClassName } from '../protocol/terminal/width/character-class.ts';

const VERSION = '17';
const UNICODE = `@unicode/unicode-${VERSION}.0.0`;
const FILE = fileURLToPath(new URL('../protocol/terminal/width/width-table.ts', import.meta.url));
const CODE_POINTS = 0x110000;
const isMainProgram = process.argv[1] === fileURLToPath(import.meta.url);

type Property = ReadonlySet<number>;

async function property(path: string): Promise<Property> {
  const { default: codePoints } = (await import(`${UNICODE}/${path}/code-points.mjs`)) as {
    default: readonly number[];
  };
  return new Set(codePoints);
}

const BREAKS = [
  ...['Control', 'CR', 'LF', 'Extend', 'ZWJ', 'SpacingMark', 'Prepend', 'Regional_Indicator'],
  ...['L', 'V', 'T', 'LV', 'LVT'],
];

/** Characters that U+FE0F turns into emoji. */
async function selectable(): Promise<Property> {
  const { default: sequences } = (await import(`${UNICODE}/Sequence_Property/Basic_Emoji/index.mjs`)) as {
    default: readonly string[];
  };
  const selected = sequences.filter((text) => [...text].length === 2 && text.endsWith('\uFE0F'));
  return new Set(selected.map((text) => text.codePointAt(0) ?? 0));
}

async function classifier(): Promise<(codePoint: number) => ClassName> {
  const breaks = new Map<number, string>();
  for (const name of BREAKS)
    for (const codePoint of await property(`Grapheme_Cluster_Break/${name}`)) breaks.set(codePoint, name);
  const category = (name: string) => property(`General_Category/${name}`);
  const binary = (name: string) => property(`Binary_Property/${name}`);
  const hidden = [
    await binary('Default_Ignorable_Code_Point'),
    await category('Control'),
    await category('Format'),
    await category('Nonspacing_Mark'),
    await category('Enclosing_Mark'),
    await category('Surrogate'),
  ];
  const spacing = await category('Spacing_Mark');
  const pictures = await binary('Extended_Pictographic');
  const toned = await binary('Emoji_Modifier_Base');
  const modifiers = await binary('Emoji_Modifier');
  const consonants = await property('Indic_Conjunct_Break/Consonant');
  const linkers = await property('Indic_Conjunct_Break/Linker');
  const texts = await selectable();

  function pictureClass(codePoint: number, columns: number): ClassName {
    if (toned.has(codePoint)) return columns === 2 ? 'pictureTonedWide' : 'pictureTonedNarrow';
    if (columns === 2) return 'pictureWide';
    return texts.has(codePoint) ? 'pictureText' : 'pictureNarrow';
  }

  function plainClass(codePoint: number, columns: number): ClassName {
    if (columns === 0) return 'invisible';
    if (/[\d#*]/.test(String.fromCodePoint(codePoint)) && codePoint < 0x40) return 'keycapBase';
    if (pictures.has(codePoint)) return pictureClass(codePoint, columns);
    if (consonants.has(codePoint)) return 'consonant';
    return columns === 2 ? 'wide' : 'narrow';
  }

  function extendClass(codePoint: number, columns: number): ClassName {
    if (codePoint === 0xfe0f) return 'emojiSelector';
    if (codePoint === 0x20e3) return 'keycap';
    if (modifiers.has(codePoint)) return 'modifier';
    if (linkers.has(codePoint)) return columns === 0 ? 'linker' : 'spacingLinker';
    return columns === 0 ? 'extend' : columns === 1 ? 'spacingOne' : 'spacingTwo';
  }

  return (codePoint) => {
    const isHidden = hidden.some((set) => set.has(codePoint));
    const columns = isHidden ? 0 : eastAsianWidth(codePoint);
    switch (breaks.get(codePoint)) {
      case 'Extend':
        return extendClass(codePoint, columns);
      case 'ZWJ':
        return 'joiner';
      case 'SpacingMark':
        return spacing.has(codePoint) ? 'spacingOne' : 'spacingNone';
      case 'Prepend':
        return isHidden ? 'invisible' : 'prepend';
      case 'Regional_Indicator':
        return 'flag';
      case 'L':
        return isHidden ? 'hangulFillerL' : 'hangulL';
      case 'V':
        return isHidden ? 'hangulFillerV' : 'hangulV';
      case 'T':
        return 'hangulT';
      case 'LV':
        return 'hangulLV';
      case 'LVT':
        return 'hangulLVT';
      default:
        return plainClass(codePoint, columns);
    }
  };
}

/** A letter for each class, followed by the length of the run in base 36 unless it is 1. */
async function runs(): Promise<string> {
  const classOf = await classifier();
  let text = '';
  let current = CLASS[classOf(0)];
  let start = 0;
  for (let codePoint = 1; codePoint <= CODE_POINTS; codePoint++) {
    const next = codePoint === CODE_POINTS ? -1 : CLASS[classOf(codePoint)];
    if (next === current) continue;
    const length = codePoint - start;
    text += String.fromCharCode(0x41 + current) + (length === 1 ? '' : length.toString(36));
    current = next;
    start = codePoint;
  }
  return text;
}

export async function widthTable(): Promise<string> {
  return `/** Written by test/write-width-table.ts from the Unicode data; see there for the format. */

export const UNICODE_VERSION = '${VERSION}';

export const WIDTH_RUNS =
  ${JSON.stringify(await runs())
    .replaceAll("'", "\\'")
    .replace(/^"|"$/g, "'")};
`;
}

export const writtenWidthTable = (): string => readFileSync(FILE, 'utf8');

if (isMainProgram) writeFileSync(FILE, await widthTable());
