/**
 * The form that takes a link, as on the page of the terminals, without React. It is made once: a redraw of the status
 * must not take away what somebody is typing.
 */
import { PASTED_LINK_MAX_CHARS } from '../../../protocol/limits.ts';
import type { LoginOutcome } from '../login/log-in.ts';
import { readPastedLink } from '../login/pasted-link.ts';
import { element } from './element.ts';

export interface LinkField {
  readonly form: HTMLFormElement;
  /** Shows what is wrong with a link. */
  say(sentence: string): void;
}

/** `onLink` logs in with the credential of a link, and then shows the status. */
export function makeLinkField(
  workspace: string,
  onLink: (credential: string) => Promise<LoginOutcome>,
): LinkField {
  const input = element('input', {
    className: 'field',
    type: 'text',
    inputMode: 'url',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: `${location.origin}/w/${workspace}#token=…`,
    // One more than the limit, so that truncated text is not taken for a link.
    maxLength: PASTED_LINK_MAX_CHARS + 1,
  });
  const button = element('button', { type: 'submit', className: 'button button-primary' }, ['Sign in']);
  const problem = element('p', { className: 'link-problem', role: 'alert', id: 'link-problem' });
  input.setAttribute('aria-describedby', problem.id);
  const say = (sentence: string) => {
    problem.textContent = sentence;
    input.ariaInvalid = String(sentence !== '');
  };
  const submit = async () => {
    const link = readPastedLink(input.value, { origin: location.origin, workspace });
    if (link.name === 'unusable') return say(link.sentence);
    button.disabled = true;
    const outcome = await onLink(link.credential);
    button.disabled = false;
    say(outcome.name === 'in' ? '' : outcome.sentence);
    if (outcome.name === 'in') input.value = '';
  };
  const label = element('label', { className: 'link-field' }, [
    element('span', {}, ['Link to this workspace']),
    input,
  ]);
  const onsubmit = (event: SubmitEvent) => {
    event.preventDefault();
    void submit();
  };
  return { form: element('form', { className: 'link-form', onsubmit }, [label, button, problem]), say };
}
