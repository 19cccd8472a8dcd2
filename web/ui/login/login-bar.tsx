/** The bar below the terminals that says when the login is about to end or has ended, with a field for a new link. */
import { useState, useSyncExternalStore } from 'react';
import { CloseIcon } from '../elements/icons.tsx';
import { timeOfDay } from '../text/since.ts';
import { LinkForm } from './link-form.tsx';
import type { PageSignIn } from './sign-in.ts';

interface Props {
  /** Null where the page has no login of its own. */
  readonly signIn: PageSignIn | null;
  readonly workspace: string;
  readonly hasEnded: boolean;
}

const NOTHING = { subscribe: () => () => {}, endingAt: () => null };

export function LoginBar({ signIn, workspace, hasEnded }: Props) {
  const { subscribe, endingAt } = signIn ?? NOTHING;
  const ending = useSyncExternalStore(subscribe, endingAt);
  /** The end time whose warning the user has dismissed. */
  const [dismissed, setDismissed] = useState<number | null>(null);
  if (!hasEnded && (ending === null || ending === dismissed)) return null;
  return (
    <section className="login-bar" aria-label="Login">
      <p role="status">
        {hasEnded ? (
          <>
            <strong>Your login has ended.</strong> Your programs keep running.
          </>
        ) : (
          <>
            <strong>Your login ends at {timeOfDay(new Date(ending ?? 0))}.</strong> Your programs keep
            running.
          </>
        )}
        {signIn !== null &&
          ` Paste a new link to this workspace to ${hasEnded ? 'continue' : 'stay connected'}.`}
      </p>
      {signIn === null ? (
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Reload
        </button>
      ) : (
        <LinkForm workspace={workspace} onLink={({ credential }) => signIn.use(credential)} />
      )}
      {!hasEnded && (
        <button
          type="button"
          className="icon-button login-dismiss"
          aria-label="Dismiss"
          title="Dismiss"
          onClick={() => setDismissed(ending)}
        >
          <CloseIcon />
        </button>
      )}
    </section>
  );
}
