/** The object's answer to the Worker. A refusal concerns the caller's credential. */
export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: 'The token has been revoked.' | 'The ticket has been used.' };
