// What is said to readers who do not see the table.

class Live {
  text = $state("");
  #waiting: string[] = [];
  #timer = 0;

  /** Say a sentence; sentences that come together are said together. */
  say(sentence: string) {
    this.#waiting.push(sentence);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.text = this.#waiting.join(" ");
      this.#waiting = [];
    }, 150);
  }
}

export const live = new Live();
