/**
 * The overlay on a terminal that is waiting for its connection. The screen below stays readable and still takes input.
 * [P19]
 */
interface Props {
  readonly title: string;
  readonly detail?: string;
  /** Input that has not been sent yet. */
  readonly unsent?: string;
}

export function ConnectionOverlay({ title, detail = '', unsent = '' }: Props) {
  return (
    <div className="overlay" role="status">
      <div className="overlay-card">
        <span className="spinner" aria-hidden="true" />
        <div className="overlay-words">
          <p className="overlay-title">{title}</p>
          {detail !== '' && <p className="overlay-detail">{detail}</p>}
          {unsent !== '' && (
            <p className="overlay-detail">
              Not sent yet: <code className="unsent">{unsent}</code>
              <br />
              It is sent if the connection is back within 30 seconds.
            </p>
          )}
        </div>
      </div>
    </div>
  );
}
