/** What a link shall be: for which sessions, what it allows, how long, and for whom. */

import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { accessSentence } from '../../../client/access/share-access.ts';
import { SHARE_LABEL_MAX_CHARS } from '../../../protocol/limits.ts';
import type { ClientRole } from '../../../protocol/roles.ts';
import type { WantedLink } from '../../../protocol/share-link.ts';
import { Choice } from '../settings/setting-fields.tsx';
import { LIFETIMES } from './share-text.ts';

interface Props {
  /** The session for which a link can be made; null if there is none. */
  readonly suggested: { readonly id: string; readonly name: string } | null;
  readonly isBusy: boolean;
  readonly onMake: (wanted: WantedLink) => void;
}

export function ShareForm({ suggested, isBusy, onMake }: Props) {
  const [isForOne, setForOne] = useState(suggested !== null);
  const [role, setRole] = useState<ClientRole>('viewer');
  const [seconds, setSeconds] = useState('86400');
  const [label, setLabel] = useState('');
  const sentence = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const session = isForOne && suggested !== null ? { session: suggested.id } : {};
    const called = label.trim() === '' ? {} : { label: label.trim() };
    onMake({ role, seconds: Number(seconds), ...session, ...called });
  };
  return (
    <form className="share-form" onSubmit={submit} aria-describedby={sentence}>
      <Options title="What">
        {suggested !== null && (
          <Option name="what" is={isForOne} on={() => setForOne(true)}>
            This session: {suggested.name}
          </Option>
        )}
        <Option name="what" is={!isForOne} on={() => setForOne(false)}>
          All sessions of this workspace
        </Option>
      </Options>
      <Options title="Permission">
        <Option name="access" is={role === 'viewer'} on={() => setRole('viewer')}>
          View only
        </Option>
        <Option name="access" is={role === 'operator'} on={() => setRole('operator')}>
          Can type
        </Option>
      </Options>
      <Choice label="Expires in" of={LIFETIMES} value={seconds} onChange={setSeconds} />
      <label className="setting">
        <span>Label</span>
        <input
          className="field"
          value={label}
          placeholder="Who is it for?"
          maxLength={SHARE_LABEL_MAX_CHARS}
          autoComplete="off"
          onChange={(event) => setLabel(event.target.value)}
        />
      </label>
      <p id={sentence} className="share-access" aria-live="polite">
        {accessSentence(role, isForOne)}
      </p>
      <p className="setting-hint">
        The link works as often as it is opened, until it expires or is revoked, and can be passed on.
      </p>
      <button type="submit" className="button button-primary" disabled={isBusy}>
        Create link
      </button>
    </form>
  );
}

function Options({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className="share-options">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

interface OptionProps {
  readonly name: string;
  readonly is: boolean;
  readonly on: () => void;
  readonly children: ReactNode;
}

function Option({ name, is, on, children }: OptionProps) {
  return (
    <label className="share-option">
      <input type="radio" name={name} checked={is} onChange={on} />
      <span>{children}</span>
    </label>
  );
}
