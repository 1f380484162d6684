/**
 * Errors that a person can act on: what was given, what is allowed, what to do.
 * Everything else that is thrown is a fault of the program.
 */
export class ModelError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ModelError";
  }
}
