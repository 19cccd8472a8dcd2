/** The result of a check: all is well, or what to do about it. */
export interface Finding {
  readonly verdict: 'ok' | 'warn' | 'fail';
  /** What was checked, in a word or two. */
  readonly about: string;
  readonly sentence: string;
}

const finding =
  (verdict: Finding['verdict']) =>
  (about: string, sentence: string): Finding => ({
    verdict,
    about,
    sentence,
  });

export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');
