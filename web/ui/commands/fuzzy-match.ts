/** Finds what somebody means by a few letters: all of them in their order, best at the beginnings of words. */

/** How well `typed` matches `text`: more is better. Null if its letters are not all there, in their order. */
export function fuzzyScore(typed: string, text: string): number | null {
  const wanted = typed.toLowerCase().replace(/\s+/g, '');
  const letters = text.toLowerCase();
  // Beginnings of words may be too far to the right for the letters that follow.
  return scoreBy(nextOf, wanted, letters) ?? scoreBy(firstOf, wanted, letters);
}

type Finding = (letter: string, letters: string, from: number) => number;

const firstOf: Finding = (letter, letters, from) => letters.indexOf(letter, from);

function scoreBy(find: Finding, wanted: string, letters: string): number | null {
  let score = 0;
  let from = 0;
  for (const letter of wanted) {
    const at = find(letter, letters, from);
    if (at < 0) return null;
    score += beginsWord(letters, at) ? BEGINS_WORD : at === from && from > 0 ? FOLLOWS : 0;
    score -= Math.min(at - from, FAR);
    from = at + letter.length;
  }
  return score;
}

const BEGINS_WORD = 12;
const FOLLOWS = 8;
/** A gap counts only so much: the last word of a long name is found too. */
const FAR = 6;

/** The letter right here, else at the beginning of a later word, else the next one. */
function nextOf(letter: string, letters: string, from: number): number {
  if (letters.startsWith(letter, from)) return from;
  for (let at = letters.indexOf(letter, from); at >= 0; at = letters.indexOf(letter, at + 1)) {
    if (beginsWord(letters, at)) return at;
  }
  return letters.indexOf(letter, from);
}

function beginsWord(letters: string, at: number): boolean {
  return at === 0 || /[^\p{L}\p{N}]/u.test(letters.charAt(at - 1));
}

/** Those that match, the best first. Equally good ones, and all if nothing is typed, keep their order. */
export function fuzzyFilter<T>(typed: string, all: readonly T[], textOf: (one: T) => string): T[] {
  return all
    .flatMap((one) => {
      const score = fuzzyScore(typed, textOf(one));
      return score === null ? [] : [{ one, score }];
    })
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}
