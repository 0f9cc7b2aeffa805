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
  /** The targets that pumps of this process work for, and how many: one that has lost its target may still be there. */
  readonly #working = new Map<string, Set<symbol>>();
  #waking: Promise<void> | undefined;

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Notes that a pump of this process works for a target; returns the function that ends it. */
  works(targetId: string): () => void {
    const pump = Symbol(targetId);
    const pumps = this.#working.get(targetId) ?? new Set();
    this.#working.set(targetId, pumps.add(pump));
    return () => {
      pumps.delete(pump);
      if (pumps.size === 0 && this.#working.get(targetId) === pumps) this.#working.delete(targetId);
    };
  }

  /** Notes that the target was handed over; whoever did so looks once more. */
  rested(targetId: string): void {
    this.#working.delete(targetId);
  }

  /** Has a pump look at the target at a time; it has a delivery that is due then. */
  wake(targetId: string, runAt: number): void {
    // It hears of it by the signal of the commit, and looks once more when it ends.
    if (this.#working.has(targetId)) return;
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
