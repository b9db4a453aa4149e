// Where friends find this server. The address of this page may be one that only this machine knows.
import { join } from "../api/http";

class Place {
  origin = $state(location.origin);
  /** Nobody but this machine can open it. */
  onlyHere = $state(false);
  #asked = false;

  /** Ask the server, once. */
  load() {
    if (this.#asked) return;
    this.#asked = true;
    join().then(
      (found) => {
        this.origin = found.origin;
        this.onlyHere = found.only_here;
      },
      () => (this.#asked = false),
    );
  }
}

export const place = new Place();
