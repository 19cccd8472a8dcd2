/** Why a call of a tool failed: a stable code, and a sentence that tells a model what to do. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;

  constructor(code: string, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

/** It was asked for and not confirmed, and asking again could do it twice. */
export const unknownToolOutcome = () =>
  new ToolError(
    'unknown_outcome',
    'The machine did not confirm in time. It may have happened: look before you try again.',
  );
