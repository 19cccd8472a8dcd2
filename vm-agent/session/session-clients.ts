/**
 * The clients of one session: attaches, hides and detaches them, and decides which of their windows sets the size and
 * the colours. Rules OU11, OU13, OU17.
 */
import type { Size } from '../../protocol/frame.ts';
import type { ClientRole } from '../../protocol/roles.ts';
import type { Attachment, Describing } from '../output/attachment.ts';
import type { SessionOutput } from '../output/session-output.ts';
import type { Described, Description } from './description.ts';
import { type ClientSize, Driver } from './driver.ts';

interface SessionClientsOptions {
  readonly output: SessionOutput;
  readonly description: Description;
  readonly described: () => Described;
  /** The driver's window has this size. */
  readonly resize: (size: Size) => void;
  /** Another client drives now. */
  readonly driverChanged: () => void;
  /** A client with this role attached or left. */
  readonly changed: (role: ClientRole) => void;
  /** Whether a person sees the session now. */
  readonly looks: (isLookedAt: boolean) => void;
}

export class SessionClients {
  readonly #options: SessionClientsOptions;
  readonly #driver = new Driver();

  constructor(options: SessionClientsOptions) {
    this.#options = options;
  }

  /** The client whose window sets the size; null if it has left. */
  get driver(): number | null {
    return this.#driver.channel;
  }

  /**
   * Adds an attachment; `replays` has what it missed. A client without a window neither sets the size nor keeps others
   * from setting it. The window of a client that only watches does not count. [RL7]
   */
  attach(viewer: Attachment, window: ClientSize | null, { isVisible = true } = {}): void {
    const { description, described, output } = this.#options;
    const { audience } = output;
    const { channel, instance, role } = viewer;
    const isAlone = audience.watching().every((other) => other === channel || !this.#driver.hasWindow(other));
    audience.join(viewer);
    if (role === 'operator' && window !== null)
      this.#drive(() => this.#driver.joined({ channel, instance, isAlone, isVisible }, window));
    const { describe = false } = viewer;
    if (describe === false) description.leave(channel);
    else description.follow(channel, describe, described());
    if (isVisible) this.#look();
    this.#changed(role);
  }

  /** Nobody looks at this client: it stays attached, but learns only that something happened. [OU13] */
  hide(channel: number, describe: Describing = false): void {
    const { description, output } = this.#options;
    const viewer = output.audience.viewer(channel);
    if (viewer === undefined) return;
    output.audience.hide(channel);
    if (describe === false) description.leave(channel);
    else description.follow(channel, describe);
    if (viewer.role === 'operator') this.#handOver();
    this.#look();
    output.audienceChanged();
  }

  detach(channel: number): void {
    if (this.#leave(channel) === 'operator') this.#handOver();
  }

  /** The link is new and has no attachments yet. */
  detachAll(): void {
    // Nobody becomes the driver in between, because all of them leave.
    for (const channel of this.#options.output.audience.channels()) this.#leave(channel);
  }

  /** The client typed something new: it drives. */
  typed(channel: number): void {
    this.#drive(() => this.#driver.takesOver(channel));
  }

  /** A client's window was resized. The terminal follows if the client drives or takes over. */
  windowChanged(channel: number, window: ClientSize, takeOver: boolean): void {
    this.#drive(() => {
      const decisive = this.#driver.resized(channel, window);
      return takeOver ? this.#driver.takesOver(channel) : decisive;
    });
    this.#look();
  }

  /** A person is an operator with a window that is visible. [AS6] */
  #look(): void {
    const { audience } = this.#options.output;
    const isPerson = (channel: number): boolean =>
      this.#driver.hasWindow(channel) && audience.viewer(channel)?.role === 'operator';
    this.#options.looks(audience.watching().some(isPerson));
  }

  #changed(role: ClientRole): void {
    this.#options.output.audienceChanged();
    this.#options.changed(role);
  }

  /** Returns the role of the client that left; undefined if it was not attached. */
  #leave(channel: number): ClientRole | undefined {
    const { description, output } = this.#options;
    // Comes first: a client that set a size without attaching is forgotten too.
    this.#driver.left(channel);
    description.leave(channel);
    const role = output.audience.viewer(channel)?.role;
    if (role === undefined) return undefined;
    output.audience.leave(channel);
    this.#look();
    this.#changed(role);
    return role;
  }

  /** The size follows the clients that still watch. [OU11] */
  #handOver(): void {
    this.#drive(() => this.#driver.remain(this.#options.output.audience.watching()));
  }

  #drive(act: () => ClientSize | null): void {
    const { driverChanged, output, resize } = this.#options;
    const before = this.#driver.channel;
    const window = act();
    if (window !== null) resize(window);
    if (window?.theme !== undefined) output.recolour(window.theme);
    if (this.#driver.channel !== before) driverChanged();
  }
}
