/** Sees to it, after the commit, that targets with new deliveries have a pump; no publisher waits for that. */
import { detach } from '@parley/kit';
import type { EventTables } from '../schema.ts';
import type { DeliveryParts } from './parts.ts';
import { lockTarget, wakePump } from './pump-task.ts';

type WakerOptions = Pick<DeliveryParts, 'store' | 'tasks' | 'onFault'>;

/**
 * Wakes pumps, one after the other: whoever holds a target and stands still holds up no more than one connection. What a
 * crash loses here, the look after late deliveries finds.
 */
export class PumpWaker {
  readonly #options: WakerOptions;
  readonly #runAt = new Map<string, number>();
  #waking: Promise<void> | undefined;

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Has a pump look at the target at a time; it has a delivery that is due then. */
  wake(targetId: string, runAt: number): void {
    this.#runAt.set(targetId, Math.min(runAt, this.#runAt.get(targetId) ?? Infinity));
    this.#waking ??= this.#wakeAll().finally(() => (this.#waking = undefined));
    detach(this.#waking, (error) => this.#options.onFault(error, 'event pump'));
  }

  /** Resolves when all that was asked for is done. */
  async idle(): Promise<void> {
    // What went wrong in it was told already.
    await this.#waking?.catch(() => undefined);
  }

  async #wakeAll(): Promise<void> {
    while (this.#runAt.size > 0) {
      const wanted = new Map(this.#runAt);
      this.#runAt.clear();
      for (const targetId of await this.#without(wanted))
        await this.#wake(targetId, wanted.get(targetId) ?? 0).catch((error: unknown) =>
          this.#options.onFault(error, 'event pump'),
        );
    }
  }

  /**
   * Those that have no pump in time. Nothing is held: a pump that hands over meanwhile looks once more afterwards, and
   * finds what was committed before this look.
   */
  async #without(wanted: ReadonlyMap<string, number>): Promise<string[]> {
    const targets = await this.#options.store
      .db<EventTables>()
      .selectFrom('event_targets')
      .select(['id', 'pump_at'])
      .where('id', 'in', [...wanted.keys()])
      .where('paused_reason', 'is', null)
      .execute();
    return targets
      .filter(({ id, pump_at }) => pump_at === null || pump_at > (wanted.get(id) ?? 0))
      .map(({ id }) => id);
  }

  #wake(targetId: string, runAt: number): Promise<void> {
    return this.#options.store.transaction(async (tx) => {
      const target = await lockTarget(tx, targetId);
      if (target?.paused_reason === null) await wakePump(this.#options, tx, target, runAt);
    });
  }
}
