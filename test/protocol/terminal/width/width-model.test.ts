import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { columnsOfText } from '../../../../protocol/terminal/width/width-model.ts';
import { widthTable, writtenWidthTable } from '../../../write-width-table.ts';
import { CHARACTERS, EMOJI, WORDS } from './measured-texts.ts';

const differing = (texts: readonly string[]) =>
  texts.filter((text) => columnsOfText(text) !== stringWidth(text));

describe('[T1] the width of text', () => {
  it('is that of string-width for every emoji that is recommended for interchange', () => {
    expect(EMOJI.length).toBeGreaterThan(3900);
    expect(differing(EMOJI)).toEqual([]);
  });

  it('is that of string-width for every character alone, after a letter and before one', () => {
    expect(differing(CHARACTERS)).toEqual([]);
    expect(differing(CHARACTERS.map((character) => `a${character}`))).toEqual([]);
    expect(differing(CHARACTERS.map((character) => `${character}a`))).toEqual([]);
  });

  it.each(Object.entries(WORDS))('is that of string-width for %s text', (_, words) => {
    expect(differing(words)).toEqual([]);
  });

  it('of ASCII is the number of characters', () => {
    expect(columnsOfText('~ 0123 #!')).toBe(9);
  });

  it('counts marks that no longer fit into the cell of their character', () => {
    const text = 'क\u093e\u093e\u093e';
    expect(columnsOfText(text)).toBe(4);
    expect(stringWidth(text)).toBe(4);
  });

  it('comes from a table that is what the Unicode data gives', async () => {
    expect(writtenWidthTable()).toBe(await widthTable());
  });
});
