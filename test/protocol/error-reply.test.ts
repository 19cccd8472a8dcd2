/** What programs read from an answer that is an error. */
import { describe, expect, it } from 'vitest';
import { errorSentence } from '../../protocol/error-reply.ts';

describe('the sentence of an error', () => {
  it.each([
    [{ error: { code: 'forbidden', message: 'No.' } }, 'No.'],
    [{ error: { message: 'No.', later: true } }, 'No.'],
    [{ error: { code: 'forbidden' } }, undefined],
    [{ error: { message: 7 } }, undefined],
    [{ error: 'No.' }, undefined],
    ['<html>', undefined],
    [null, undefined],
  ])('in %j is %j', (body, sentence) => {
    expect(errorSentence(body)).toBe(sentence);
  });
});
