// SPEC T8: keys are forgotten when they expire.
CREATE INDEX idempotency_expires IF NOT EXISTS FOR (k:IdempotencyKey) ON (k.expiresAt);
