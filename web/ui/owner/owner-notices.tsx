/** What the owner is told who is not logged in. `form` takes another link. */
import type { ReactNode } from 'react';
import { Notice } from '../elements/notice.tsx';

/** `sentence` comes from the relay and says why: used, expired, or of another relay. */
export function OwnerLinkRefused({
  sentence,
  form,
}: {
  readonly sentence: string;
  readonly form: ReactNode;
}) {
  return (
    <Notice title="This link does not work">
      <p>{sentence}</p>
      <p>
        Make another link with <code>holdfast link --owner</code>.
      </p>
      {form}
    </Notice>
  );
}

export function LoginEnded({ form }: { readonly form: ReactNode }) {
  return (
    <Notice title="Sign in to this relay">
      <p role="alert">
        Your login has ended. Make another link with <code>holdfast link --owner</code>.
      </p>
      {form}
    </Notice>
  );
}
