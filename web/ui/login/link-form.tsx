/** A form that takes a link, shown wherever a user is not logged in. */
import { type FormEvent, useId, useState } from 'react';
import { PASTED_LINK_MAX_CHARS } from '../../../protocol/limits.ts';
import type { LoginOutcome } from './log-in.ts';
import { type PastedLink, readPastedLink } from './pasted-link.ts';

export type UseLink = (link: Extract<PastedLink, { name: 'link' }>) => Promise<LoginOutcome>;

interface Props {
  /** Null where a link to any workspace is accepted, and the owner's. */
  readonly workspace: string | null;
  readonly onLink: UseLink;
}

export function LinkForm({ workspace, onLink }: Props) {
  const [sentence, setSentence] = useState('');
  const [isBusy, setBusy] = useState(false);
  const problem = useId();
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = String(new FormData(form).get('link') ?? '');
    const link = readPastedLink(text, { origin: location.origin, workspace });
    if (link.name === 'unusable') return setSentence(link.sentence);
    setBusy(true);
    const outcome = await onLink(link);
    setBusy(false);
    setSentence(outcome.name === 'in' ? '' : outcome.sentence);
    if (outcome.name === 'in') form.reset();
  };
  return (
    <form className="link-form" onSubmit={(event) => void submit(event)}>
      <label className="link-field">
        <span>{workspace === null ? 'Link to a workspace, or of the owner' : 'Link to this workspace'}</span>
        <input
          className="field"
          name="link"
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={`${location.origin}/w/${workspace ?? 'name'}#token=…`}
          // One more than the limit, so that truncated text is not taken for a link.
          maxLength={PASTED_LINK_MAX_CHARS + 1}
          aria-invalid={sentence !== ''}
          aria-describedby={problem}
        />
      </label>
      <button type="submit" className="button button-primary" disabled={isBusy}>
        Sign in
      </button>
      <p id={problem} className="link-problem" role="alert">
        {sentence}
      </p>
    </form>
  );
}
