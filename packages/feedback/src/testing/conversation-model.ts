/** Votes, comments and merges in plain collections: what the services are compared with. */

interface ModelComment {
  readonly post: number;
  readonly parent: number | null;
  readonly isPrivate: boolean;
  /** A stub stays for its replies; one that is gone is nowhere. */
  state: 'there' | 'stub' | 'gone';
}

/** A few posts, by number. Methods answer false for what the services must refuse. */
export class ConversationModel {
  readonly #mergedInto: (number | null)[];
  readonly #ownVotes: Set<number>[];
  readonly #comments: ModelComment[] = [];

  constructor(posts: number) {
    this.#mergedInto = Array.from({ length: posts }, () => null);
    this.#ownVotes = Array.from({ length: posts }, () => new Set<number>());
  }

  /** `wanted` null means the other way round. */
  vote(post: number, person: number, wanted: boolean | null): boolean {
    if (this.#mergedInto[post] !== null) return false;
    const isVoted = this.#voters(post).has(person);
    if ((wanted ?? !isVoted) === isVoted) return true;
    if (!isVoted) this.#ownVotes[post]?.add(person);
    else for (const each of this.#family(post)) this.#ownVotes[each]?.delete(person);
    return true;
  }

  comment(post: number, parent: number | null, isPrivate: boolean): boolean {
    if (this.#mergedInto[post] !== null) return false;
    if (parent === null) {
      this.#comments.push({ post, parent, isPrivate, state: 'there' });
      return true;
    }
    const above = this.#comments[parent];
    if (above?.state !== 'there' || !this.#family(post).includes(above.post)) return false;
    this.#comments.push({
      post: above.post,
      parent,
      isPrivate: isPrivate || above.isPrivate,
      state: 'there',
    });
    return true;
  }

  delete(index: number): boolean {
    const comment = this.#comments[index];
    if (comment?.state !== 'there') return false;
    comment.state = 'stub';
    let at: number | null = index;
    while (at !== null && this.#comments[at]?.state === 'stub' && !this.#hasReplies(at)) {
      const bare: ModelComment | undefined = this.#comments[at];
      if (bare !== undefined) bare.state = 'gone';
      at = bare?.parent ?? null;
    }
    return true;
  }

  isMergeable(post: number, into: number): boolean {
    return post !== into && this.#mergedInto[post] === null && this.#mergedInto[into] === null;
  }

  merge(post: number, into: number): boolean {
    if (!this.isMergeable(post, into)) return false;
    this.#mergedInto[post] = into;
    return true;
  }

  unmerge(post: number): boolean {
    if (this.#mergedInto[post] === null) return false;
    this.#mergedInto[post] = null;
    return true;
  }

  /** The comments that are there. */
  comments(): number[] {
    return this.#comments.flatMap(({ state }, index) => (state === 'there' ? [index] : []));
  }

  /** The posts that are merged. */
  merged(): number[] {
    return this.#mergedInto.flatMap((into, post) => (into === null ? [] : [post]));
  }

  /** Every post: its counts, its voters, and its thread as [number, parent, post, private, stub]. */
  shown(): unknown[] {
    return this.#mergedInto.map((_, post) => {
      const family = this.#family(post);
      const voters = [...this.#voters(post)].toSorted((a, b) => a - b);
      const thread = this.#comments
        .map((comment, index) => ({ ...comment, index }))
        .filter((comment) => comment.state !== 'gone' && family.includes(comment.post));
      const commentCount = thread.filter(({ state, isPrivate }) => state === 'there' && !isPrivate).length;
      return {
        voteCount: voters.length,
        commentCount,
        voters,
        thread: thread.map(({ index, parent, post: on, isPrivate, state }) => [
          index,
          parent,
          on,
          isPrivate,
          state === 'stub',
        ]),
      };
    });
  }

  #hasReplies(index: number): boolean {
    return this.#comments.some(({ parent, state }) => parent === index && state !== 'gone');
  }

  /** The post and all that is merged into it. */
  #family(post: number): number[] {
    const below = this.#mergedInto.flatMap((into, each) => (into === post ? this.#family(each) : []));
    return [post, ...below];
  }

  #voters(post: number): Set<number> {
    return new Set(this.#family(post).flatMap((each) => [...(this.#ownVotes[each] ?? [])]));
  }
}
