/** The dialog with a QR code that opens this workspace in another browser. */
import { useEffect, useState } from 'react';
import type { ClientRole } from '../../../protocol/roles.ts';
import { Dialog } from '../elements/dialog.tsx';
import { useCopying } from '../elements/use-copying.ts';
import { useSecondsUntil } from '../elements/use-seconds-until.ts';
import { type DeviceCode, isLoopback, makeDeviceCode } from './device-code.ts';
import { QrPicture } from './qr-picture.tsx';
import './device-dialog.css';

export interface DeviceDialogProps {
  readonly workspace: string;
  readonly role: ClientRole;
  readonly onClose: () => void;
}

const ACCESS = {
  operator: 'As an operator, they see every terminal of this workspace and can type in it.',
  viewer: 'As a viewer, they see every terminal of this workspace and cannot type.',
} as const;

type Shown =
  | { readonly name: 'making' | 'over' | 'no-key' }
  | { readonly name: 'code'; readonly link: string; readonly seconds: number }
  | { readonly name: 'failed'; readonly sentence: string };

export function DeviceDialog({ workspace, role, onClose }: DeviceDialogProps) {
  const { shown, renew } = useDeviceCode(workspace, role);
  const link = shown.name === 'code' ? shown.link : null;
  const { copy, copied } = useCopying(link);
  return (
    <Dialog kind="question" title="Continue on another device" onClose={onClose}>
      <p>
        Scan the code with a phone, or open the link in another browser.{' '}
        <strong>Whoever opens it first, within a minute, has the access that you have here.</strong>{' '}
        {ACCESS[role]}
      </p>
      {isLoopback(location.hostname) && (
        <p>
          This page is at {location.hostname}, an address of this computer only. Another browser on it can
          open the link, a phone cannot.
        </p>
      )}
      <div className="device-code">
        <Code shown={shown} isCopied={copied === 'done'} />
      </div>
      {copied === 'refused' && <LinkToCopy link={link} />}
      <div className="dialog-buttons">
        <button type="button" className="button" data-first onClick={onClose}>
          Close
        </button>
        {shown.name !== 'no-key' && (
          <>
            <button type="button" className="button" disabled={link === null} onClick={copy}>
              {copied === 'done' ? 'Link copied' : 'Copy link'}
            </button>
            <button type="button" className="button" disabled={shown.name === 'making'} onClick={renew}>
              New code
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

/** A screen reader hears each sentence once; the countdown is only visible. */
function Code({ shown, isCopied }: { readonly shown: Shown; readonly isCopied: boolean }) {
  return (
    <>
      {shown.name === 'code' && (
        <>
          <QrPicture text={shown.link} label="QR code of a link to this workspace" />
          <p aria-hidden="true" className="device-time">
            Works once · {shown.seconds} s left
          </p>
        </>
      )}
      <p role="status" className={shown.name === 'code' ? 'visually-hidden' : undefined}>
        {isCopied ? 'The link is copied.' : sentenceOf(shown)}
      </p>
    </>
  );
}

function sentenceOf(shown: Shown): string {
  switch (shown.name) {
    case 'making':
      return 'Making a code…';
    case 'code':
      return 'The code is ready. It works once, for one minute.';
    case 'over':
      return 'The time of this code is over. Choose “New code” for another.';
    case 'no-key':
      return 'This browser has not kept the key of your login, which is needed for a code. Open your link to this workspace again, then come back here.';
    case 'failed':
      return `There is no code: ${shown.sentence}`;
  }
}

/** The browser may have been told that pages must not write to the clipboard. */
function LinkToCopy({ link }: { readonly link: string | null }) {
  return (
    <>
      <p role="alert">This browser does not let the page copy. Copy the link yourself:</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="preview" tabIndex={0}>
        {link}
      </pre>
    </>
  );
}

const wallClock = () => Date.now();

function useDeviceCode(workspace: string, role: ClientRole) {
  const [code, setCode] = useState<DeviceCode | null>(null);
  const [wanted, setWanted] = useState(1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every code that is wanted is made
  useEffect(() => {
    let isWanted = true;
    setCode(null);
    // Only a page of the relay's own origin has a login, and this dialog.
    void makeDeviceCode(new URL('/', location.href), workspace, role).then((made) => {
      if (isWanted) setCode(made);
    });
    return () => {
      isWanted = false;
    };
  }, [workspace, role, wanted]);
  const seconds = useSecondsUntil(code?.name === 'made' ? code.endsAt : null, wallClock);
  return { shown: shownOf(code, seconds), renew: () => setWanted((count) => count + 1) };
}

function shownOf(code: DeviceCode | null, seconds: number): Shown {
  if (code === null) return { name: 'making' };
  if (code.name !== 'made') return code;
  return seconds === 0 ? { name: 'over' } : { name: 'code', link: code.link, seconds };
}
