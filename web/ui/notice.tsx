/** A page that has one thing to say, instead of a terminal. */
import type { ReactNode } from 'react';
import { LogoIcon } from './icons.tsx';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: { readonly label: string; readonly run: () => void };
}

function Notice({ title, children, action }: Props) {
  return (
    <main className="notice">
      <p className="notice-product">
        <LogoIcon />
        Holdfast
      </p>
      <h1>{title}</h1>
      {children}
      {action && (
        <button type="button" className="button button-primary" onClick={action.run}>
          {action.label}
        </button>
      )}
    </main>
  );
}

/** While the link is exchanged, mostly for less than a blink. */
export function Opening() {
  return (
    <main className="notice notice-brief">
      <p>Opening the terminal…</p>
    </main>
  );
}

/** How to get in, in one place: whoever is turned away for want of a good link reads the same. */
function HowToGetALink() {
  return (
    <p>
      Open the link that <code>npm start</code> printed, or ask whoever runs this workspace for one.
    </p>
  );
}

export function NoCredential() {
  return (
    <Notice title="This terminal needs a link">
      <p>This browser is not logged in to the workspace, or its login has ended.</p>
      <HowToGetALink />
    </Notice>
  );
}

/** The relay says what is wrong with it: too old, revoked, of another workspace, or no token at all. */
export function LinkRefused({ sentence }: { readonly sentence: string }) {
  return (
    <Notice title="This link does not work">
      <p>{sentence}</p>
      <HowToGetALink />
    </Notice>
  );
}

export function NoWorkspace() {
  return (
    <Notice title="No workspace has this address">
      <p>
        A workspace is at <code>/w/name</code>; its name has letters, digits, <code>-</code> and{' '}
        <code>_</code>.
      </p>
    </Notice>
  );
}

export function Trouble({ sentence, onRetry }: { readonly sentence: string; readonly onRetry: () => void }) {
  return (
    <Notice title="That did not work" action={{ label: 'Retry', run: onRetry }}>
      <p>{sentence}</p>
    </Notice>
  );
}
