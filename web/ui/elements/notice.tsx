/** Full-page notices, shown in place of the terminals. */
import type { ReactNode } from 'react';
import { LogoIcon } from './icons.tsx';

interface Props {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export function Notice({ title, children, action }: Props) {
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

/** Shown while the link is exchanged, usually only for an instant. */
export function Opening() {
  return (
    <main className="notice notice-brief">
      <p>Opening the terminal…</p>
    </main>
  );
}

/** Shown until it is known whether the relay's owner is logged in, usually only for an instant. */
export function Loading() {
  return (
    <main className="notice notice-brief">
      <p>Loading…</p>
    </main>
  );
}

/** Explains how to get a link. Every notice that turns a user away for lack of a valid link shows this text. */
function HowToGetALink() {
  return (
    <p>
      Open or paste the link that <code>npm start</code> printed, or ask the person who runs the workspace for
      one. If you are signed in on another device, choose <strong>Continue on another device</strong> there.
    </p>
  );
}

/** `children`: a field for a link, where the page has a login of its own. */
export function NoCredential({ children }: { readonly children: ReactNode }) {
  return (
    <Notice title="Sign in to this workspace">
      <p>This browser is not signed in to the workspace, or its login has ended.</p>
      <HowToGetALink />
      {children}
    </Notice>
  );
}

interface RefusedProps {
  readonly sentence: string;
  /** A field for another link. */
  readonly children: ReactNode;
}

/** `sentence` comes from the relay and says why: expired, revoked, for another workspace, or not a token at all. */
export function LinkRefused({ sentence, children }: RefusedProps) {
  return (
    <Notice title="This link does not work">
      <p>{sentence}</p>
      <HowToGetALink />
      {children}
    </Notice>
  );
}

/** The page at a relay's address without a workspace. `children`: a field for a link. */
export function Home({ children }: { readonly children: ReactNode }) {
  return (
    <Notice title="A terminal in the browser for a machine you cannot reach">
      <p>
        This is a Holdfast relay. It connects browsers with shells that keep running on machines elsewhere.
      </p>
      <HowToGetALink />
      <p>
        If you own this relay, make a link with <code>holdfast link --owner</code>.
      </p>
      {children}
      <p>
        <a href="/status">Status of this relay</a>
      </p>
    </Notice>
  );
}

export function NoWorkspace({ children }: { readonly children: ReactNode }) {
  return (
    <Notice title="There is no workspace at this address">
      <p>
        The address of a workspace is <code>/w/</code> and its name, which has letters, digits, <code>-</code>{' '}
        and <code>_</code>.
      </p>
      <HowToGetALink />
      {children}
    </Notice>
  );
}

export function TroubleNotice({
  sentence,
  onRetry,
}: {
  readonly sentence: string;
  readonly onRetry: () => void;
}) {
  return (
    <Notice title="Something went wrong" action={{ label: 'Retry', run: onRetry }}>
      <p>{sentence}</p>
    </Notice>
  );
}
