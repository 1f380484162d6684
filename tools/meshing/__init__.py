"""Operations on triangle meshes: pure functions on arrays, and the jobs that run them confined."""
